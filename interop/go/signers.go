package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"fmt"
	"net/http"

	commonfate "github.com/common-fate/httpsig"
	"github.com/common-fate/httpsig/alg_ecdsa"
	"github.com/common-fate/httpsig/alg_ed25519"
	"github.com/common-fate/httpsig/alg_rsa"
	"github.com/common-fate/httpsig/signer"
	dadrus "github.com/dadrus/httpsig"
)

var signers = map[string]func(*question) (answer, error){
	"github.com/dadrus/httpsig":      signWithDadrus,
	"github.com/common-fate/httpsig": signWithCommonFate,
}

func signWithDadrus(asked *question) (answer, error) {
	key, err := asked.privateKey()
	if err != nil {
		return nil, err
	}
	signingKey := dadrus.Key{KeyID: asked.KeyID, Key: key, Algorithm: dadrus.SignatureAlgorithm(asked.Key.Algorithm)}
	var options []dadrus.SignerOption
	if asked.Covers != nil {
		options = append(options, dadrus.WithComponents(asked.Covers...))
	}
	with, err := dadrus.NewSigner(signingKey, options...)
	if err != nil {
		return nil, err
	}
	request, err := asked.request()
	if err != nil {
		return nil, err
	}
	header, err := with.Sign(dadrus.MessageFromRequest(request))
	if err != nil {
		return nil, err
	}
	request.Header = header
	base, err := asked.transport()
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Transport: base}).Do(request)
	if err != nil {
		return nil, err
	}
	return read(response, header)
}

func signWithCommonFate(asked *question) (answer, error) {
	algorithm, err := commonFateAlgorithm(asked)
	if err != nil {
		return nil, err
	}
	base, err := asked.transport()
	if err != nil {
		return nil, err
	}
	covered := asked.Covers
	if covered == nil {
		covered = commonfate.DefaultCoveredComponents()
	}
	record := &recorder{base: base}
	client := &http.Client{Transport: &signer.Transport{
		KeyID: asked.KeyID, Alg: algorithm, CoveredComponents: covered, BaseTransport: record,
	}}
	request, err := asked.request()
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	return read(response, record.sent)
}

func commonFateAlgorithm(asked *question) (signer.Algorithm, error) {
	key, err := asked.privateKey()
	if err != nil {
		return nil, err
	}
	switch asked.Key.Algorithm {
	case "ed25519":
		return &alg_ed25519.Ed25519{PrivateKey: key.(ed25519.PrivateKey)}, nil
	case "ecdsa-p256-sha256":
		return alg_ecdsa.NewP256Signer(key.(*ecdsa.PrivateKey)), nil
	case "ecdsa-p384-sha384":
		return alg_ecdsa.NewP384Signer(key.(*ecdsa.PrivateKey)), nil
	case "rsa-pss-sha512":
		return alg_rsa.NewRSAPSS512Signer(key.(*rsa.PrivateKey)), nil
	case "rsa-v1_5-sha256":
		return alg_rsa.NewRSAPKCS256Signer(key.(*rsa.PrivateKey)), nil
	}
	return nil, fmt.Errorf("no algorithm %s", asked.Key.Algorithm)
}

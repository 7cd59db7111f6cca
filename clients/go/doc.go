// Package postern signs and sends requests to APIs behind the Postern gateway.
//
// Make a [Client] for one credential, then use the *http.Client that it gives:
//
//	client, err := postern.NewHMAC(appKey, appSecret, postern.WithSignedHeaders("host"))
//	if err != nil {
//		return err
//	}
//	response, err := client.HTTPClient().Get("https://api.example.com/orders")
//
// There are four methods of authentication with an App Secret or a secret App Key: [NewKey], [NewHMAC],
// [NewParameterSignature] and [NewOAuth2]. Two have a private key in its place: [NewMessageSignature] and
// [NewPrivateKeyJWT]. [ParsePrivateKey] reads one; [NewSignerKey] and [NewFuncKey] leave it in a KMS or an HSM.
//
// All of them work through [Transport], an http.RoundTripper that wraps any other one. It signs a copy of the request
// at the last moment, and tries again what the gateway refused for the moment, each time with a new signature.
//
// Three errors have types of their own: a [Problem] is found before anything is sent, a [TokenError] is an answer of
// the token URL that is no token, and a [Refusal], which [RefusalOf] reads from an answer, says why the gateway did not
// let a request through. No error and no printed value holds an App Secret, a private key, an access token or a
// secret App Key.
package postern

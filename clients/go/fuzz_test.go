package postern

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/postern-gateway/postern/clients/go/internal/hook"
)

// FuzzEscapeJSON: a JSON reader gets back what was escaped.
func FuzzEscapeJSON(f *testing.F) {
	for _, seed := range []string{"", `{"a":"b\n"}`, "\x00\x1f\x7f\"\\\b\t\n\f\r", "é東🚀\u2028", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // never escaped: BODY_NOT_SIGNABLE
		}
		var read string
		if err := json.Unmarshal([]byte(`"`+escapeJSON([]byte(text))+`"`), &read); err != nil || read != text {
			t.Errorf("%q is read as %q, %v", text, read, err)
		}
	})
}

// FuzzEncodeParameters: a form decoder, ours and another one, gets back what was written.
func FuzzEncodeParameters(f *testing.F) {
	f.Add("a", "b")
	f.Add("a b+&=%", "\x00\xff東;/?#")
	f.Fuzz(func(t *testing.T, name, value string) {
		written := EncodeParameters([][2]string{{name, value}})
		values, err := url.ParseQuery(written)
		if err != nil || name+value != "" && values.Get(name) != value {
			t.Errorf("%q is read as %v, %v", written, values, err)
		}
		ours, right := formDecode(strings.TrimPrefix(written, percentEncode(name)+"="))
		if !right || ours != value {
			t.Errorf("%q is decoded as %q", written, ours)
		}
	})
}

// FuzzSignParameters: what is signed can be parsed again, has the same signature, and begins with what was given.
func FuzzSignParameters(f *testing.F) {
	for _, seed := range []string{"", "a=1&b=2", "&&a&", "a=%zz", "a%26=1", "q=A%26B", "é=ü", "%ff", "sign=1", "a=b=c"} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, raw bool) {
		signer := &parameterSigner{appKey: testKey, secret: newSecret(testSecret), raw: raw}
		signed, err := signer.signText(text, testNow)
		if err != nil {
			if _, ok := err.(*Problem); !ok {
				t.Errorf("not a problem: %v", err)
			}
			return
		}
		unsigned, sign, found := strings.Cut(signed, "&sign=")
		if !found || !strings.HasPrefix(signed, text) {
			t.Fatalf("%q became %q", text, signed)
		}
		var parameters []string
		for _, segment := range strings.Split(unsigned, "&") {
			name, value, _ := strings.Cut(segment, "=")
			if !raw {
				name, _ = formDecode(name)
				value, _ = formDecode(value)
			}
			if segment != "" {
				parameters = append(parameters, name+"="+value)
			}
		}
		insertionSort(parameters)
		if again := signer.hash(strings.Join(parameters, "&")); again != sign {
			t.Errorf("%q: the signature is of another text", text)
		}
	})
}

// insertionSort sorts by name and is stable, in another way than the client.
func insertionSort(parameters []string) {
	name := func(i int) string { return strings.SplitN(parameters[i], "=", 2)[0] }
	for i := range parameters {
		for j := i; j > 0 && name(j-1) > name(j); j-- {
			parameters[j-1], parameters[j] = parameters[j], parameters[j-1]
		}
	}
}

// FuzzContentType: no Content-Type ends the program, and none with another charset passes.
func FuzzContentType(f *testing.F) {
	for _, seed := range []string{
		"", ";", ";;", `; charset="utf-8"`, "; charset=latin1", "; a=b; charset=utf-8;", `; a="`, "; charset =utf-8",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, parameters string) {
		if isUTF8(parameters) && strings.Contains(strings.ToLower(parameters), "charset=latin1") &&
			!strings.Contains(parameters, `"`) {
			t.Errorf("%q passes", parameters)
		}
	})
}

func TestAWrapperIsNeverSignedTwiceAlike(t *testing.T) {
	client, err := NewParameterSignature(testKey, testSecret, WithNonce(), withHooks(hook.Hooks{
		Now: func() time.Time { return time.Unix(testNow, 0) },
	}))
	if err != nil {
		t.Fatal(err)
	}
	base := answers()
	transport := &Transport{client, base}
	for i := 0; i < maxTimestampShift+2; i++ {
		request := newRequest(t, "POST", "https://a/", "{}", "Content-Type", mediaJSON)
		if _, err := transport.RoundTrip(request); err != nil {
			t.Fatal(err)
		}
		var wrapper struct{ APITimestamp int64 }
		if err := json.Unmarshal([]byte(base.bodies[i]), &wrapper); err != nil {
			t.Fatal(err)
		}
		want := int64(testNow + i)
		if i > maxTimestampShift {
			want = testNow + maxTimestampShift // the gateway refuses it, and it is tried again
		}
		if wrapper.APITimestamp != want {
			t.Errorf("wrapper %d has the time %d, want %d", i, wrapper.APITimestamp, want)
		}
	}
	other := newRequest(t, "POST", "https://a/", "[]", "Content-Type", mediaJSON)
	_, err = transport.RoundTrip(other)
	if last := base.bodies[len(base.bodies)-1]; err != nil || !strings.HasSuffix(last, `"apiTimestamp":1795228800}`) {
		t.Errorf("another body was moved on: %q, %v", last, err)
	}
}

func TestMadeSignaturesAreBounded(t *testing.T) {
	made := &madeSignatures{}
	for i := 0; i < 3*generationSize; i++ {
		if !made.add(strings.Repeat("x", i%7)+string(rune(i))) && i < 1000 {
			t.Fatalf("%d was not made before", i)
		}
		if len(made.current)+len(made.earlier) > 2*generationSize {
			t.Fatal("more is remembered than allowed")
		}
	}
}

func TestNoncesAreRandomHex(t *testing.T) {
	client := newTestHMAC(t, WithNonce())
	seen := map[string]bool{}
	for i := 0; i < 100; i++ {
		signed, err := client.Sign(newRequest(t, http.MethodGet, "https://a/", ""))
		if err != nil {
			t.Fatal(err)
		}
		nonce := signed.Header.Get("X-Nonce")
		if len(nonce) != 32 || strings.Trim(nonce, "0123456789abcdef") != "" || seen[nonce] {
			t.Fatalf("got %q", nonce)
		}
		seen[nonce] = true
	}
}

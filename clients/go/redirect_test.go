package postern

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestRedirects(t *testing.T) {
	var other *httptest.Server
	seen := make(chan *http.Request, 8)
	handler := func(writer http.ResponseWriter, request *http.Request) {
		seen <- request
		if target := request.URL.Query().Get("to"); target != "" {
			http.Redirect(writer, request, target, http.StatusTemporaryRedirect)
		}
	}
	own := httptest.NewServer(http.HandlerFunc(handler))
	defer own.Close()
	other = httptest.NewServer(http.HandlerFunc(handler))
	defer other.Close()
	keys, _ := NewKey(testKey)
	parameters, _ := NewKey(testKey, WithKeyParameter("appKey"))
	there := url.QueryEscape(other.URL + "/x")
	thereAndBack := url.QueryEscape(other.URL + "/x?to=" + url.QueryEscape(own.URL+"/y"))
	for _, client := range []*Client{keys, parameters, newTestHMAC(t)} {
		for _, each := range []struct {
			address string
			signed  []bool
		}{
			{own.URL + "/?to=/here", []bool{true, true}},
			{own.URL + "/?to=" + there, []bool{true, false}},
			{own.URL + "/?to=" + thereAndBack, []bool{true, false, false}},
		} {
			answer, err := client.HTTPClient().Post(each.address, "text/plain", strings.NewReader("x"))
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			for i, signed := range each.signed {
				request := <-seen
				text := request.Header.Get("Authorization") + request.Header.Get("X-App-Key")
				text += request.URL.Query().Get("appKey")
				if (text != "") != signed || strings.Contains(request.Header.Get("Referer"), testKey) {
					t.Errorf("%s, hop %d of %s: the credential is %q", client.Method(), i, each.address, text)
				}
			}
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// answersTo runs the driver, and gives its answers by their ids; those without an id have the id "".
func answersTo(t *testing.T, lines ...string) map[string]map[string]any {
	t.Helper()
	var output bytes.Buffer
	d := &driver{clients: map[string]*credential{}, output: json.NewEncoder(&output)}
	d.run(strings.NewReader(strings.Join(lines, "\n")))
	d.sends.Wait()
	answers := map[string]map[string]any{}
	for decoder := json.NewDecoder(&output); decoder.More(); {
		var each map[string]any
		if err := decoder.Decode(&each); err != nil {
			t.Fatal(err)
		}
		id, _ := json.Marshal(each["id"])
		answers[string(id)] = each
	}
	return answers
}

func TestTheDriverAnswersWhateverItReads(t *testing.T) {
	answers := answersTo(t,
		`{"id":1,"op":"describe"}`, `not JSON`, ``,
		`{"id":2,"op":"create","name":"a","client":{"method":"hmac","appKey":"k","appSecret":"secret-secret-12","now":0}}`,
		`{"id":3,"op":"create","name":"b","client":{"method":"hmac","appKey":"","appSecret":"x"}}`,
		`{"id":4,"op":"sign","name":"a","request":{"method":"PUT","url":"https://h/a?b","body":{"text":"x"}}}`,
		`{"id":5,"op":"sign","name":"none"}`, `{"id":6,"op":"dance"}`, `{"id":7,"op":"send","name":"none"}`,
		`{"id":8,"op":"send","name":"a","adapter":"other","request":{"method":"GET","url":"https://h/"}}`,
		`{"id":9,"op":"send","name":"a","request":{"method":"POST","url":"http://127.0.0.1:1/ ü"}}`,
		`{"id":"x","op":"print","name":"a"}`,
	)
	for id, member := range map[string]string{
		"1": "adapters", "null": "error", "2": "created", "3": "problem", "4": "signed", "5": "error", "6": "error",
		"7": "error", "8": "error", "9": "error", `"x"`: "text",
	} {
		if answers[id][member] == nil {
			t.Errorf("question %s: no %s in %v", id, member, answers[id])
		}
	}
	if text, _ := answers[`"x"`]["text"].(string); strings.Contains(text, "secret-secret-12") || text == "" {
		t.Error("the print holds the App Secret, or nothing")
	}
	signed, _ := answers["4"]["signed"].(map[string]any)
	if signed["method"] != "PUT" || signed["url"] != "https://h/a?b" || signed["body"] != "eA==" {
		t.Errorf("signed %v", signed)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	if got := guarded(func() answer { panic("x") }); got["error"] != "panic: x" {
		t.Errorf("got %v", got)
	}
}

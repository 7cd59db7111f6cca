// Command driver is the test program of CONTRACT.md: it answers questions on standard input, one JSON object a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// question is any of the questions that CONTRACT.md lists.
type question struct {
	ID      json.RawMessage `json:"id"`
	Op      string          `json:"op"`
	Name    string          `json:"name"`
	Adapter string          `json:"adapter"`
	HTTP    string          `json:"http"`
	Client  clientSettings  `json:"client"`
	Request requestSettings `json:"request"`

	AcceptSignature *string `json:"acceptSignature"`
}

// answer has the id of its question and what follows from it.
type answer map[string]any

type driver struct {
	clients map[string]*credential
	sends   sync.WaitGroup

	mutex  sync.Mutex
	output *json.Encoder
}

func main() {
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	d := &driver{clients: map[string]*credential{}, output: output}
	d.run(os.Stdin)
	d.sends.Wait()
}

func (d *driver) run(input io.Reader) {
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 && string(line) != "\n" {
			d.read(line)
		}
		if err != nil {
			return
		}
	}
}

func (d *driver) read(line []byte) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		d.write(nil, answer{"error": "the line cannot be read: " + err.Error()})
		return
	}
	if asked.Op != "send" {
		d.write(asked.ID, guarded(func() answer { return d.answer(&asked) }))
		return
	}
	client, found := d.clients[asked.Name]
	d.sends.Add(1)
	go func() {
		defer d.sends.Done()
		d.write(asked.ID, guarded(func() answer {
			if !found {
				return answer{"error": "there is no client of this name"}
			}
			return client.send(&asked)
		}))
	}()
}

func (d *driver) answer(asked *question) answer {
	if asked.Op == "describe" {
		return answer{"adapters": []answer{{"name": adapterName, "http": []string{"1.1", "2"}}}}
	}
	if asked.Op == "create" {
		client, err := newCredential(&asked.Client)
		if err != nil {
			return failure(err)
		}
		d.clients[asked.Name] = client
		return answer{"created": true}
	}
	client, found := d.clients[asked.Name]
	switch {
	case asked.Op != "sign" && asked.Op != "assertion" && asked.Op != "print":
		return answer{"error": "this op is not known"}
	case !found:
		return answer{"error": "there is no client of this name"}
	case asked.Op == "sign":
		return client.sign(asked)
	case asked.Op == "assertion":
		return client.assertion()
	}
	return answer{"text": client.printed()}
}

// guarded keeps the program alive whatever a question leads to.
func guarded(work func() answer) (result answer) {
	defer func() {
		if cause := recover(); cause != nil {
			result = answer{"error": fmt.Sprintf("panic: %v", cause)}
		}
	}()
	return work()
}

func (d *driver) write(id json.RawMessage, result answer) {
	if id != nil {
		result["id"] = id
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.output.Encode(result); err != nil {
		os.Exit(1) // nobody reads any more
	}
}

//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Messages of JSON-RPC go both ways: bench serve answers the calls of a program, and a learner of
// another program answers the calls of bench. Here one line of a talk is changed, either its id,
// or anything in it. What is answered has the id of its call, as it was written; what has no id
// that is one is not carried out; and messages about it are short, and none is about Go.

// calls are the messages of a program that plays a game through bench serve.
var calls = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1}}`,
	`{"jsonrpc":"2.0","id":2,"method":"new","params":{"problem":"shrinking","horizon":9}}`,
	`{"jsonrpc":"2.0","id":3,"method":"step","params":{"game":1,"x":[0.5]}}`,
	`{"jsonrpc":"2.0","id":4,"method":"step","params":{"game":1,"x":[0.25]}}`,
	`{"jsonrpc":"2.0","id":"five <&>","method":"step","params":{"game":1,"x":[0]}}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"method":"result","params":{"game":1}}`,
}

// answers are the messages of a learner in a game of three rounds.
var answers = []string{
	`{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"name":"a","anytime":true,"parameters":[{"name":"b","type":"number","default":1,"min":0}]}}`,
	`{"jsonrpc":"2.0","id":2,"result":{"protocol":1,"name":"a","anytime":true,"parameters":[{"name":"b","type":"number","default":1,"min":0}]}}`,
	`{"jsonrpc":"2.0","id":3,"result":{"x":[0.5]}}`,
	`{"jsonrpc":"2.0","id":4,"result":{"x":[0.25]}}`,
	`{"jsonrpc":"2.0","id":5,"result":{}}`,
	`{"jsonrpc":"2.0","id":6,"result":{"x":[1]}}`,
	`{"jsonrpc":"2.0","id":7,"result":{"x":[1]}}`,
}

// ids are values that JSON-RPC or this program does not take for an id.
var ids = []string{"null", "true", "[3]", "{}", "1.5", "2.4", "3.0", "3e0", "1e300", "-0.5"}

// idOf matches the id of a message.
var idOf = regexp.MustCompile(`"id":("[^"]*"|[0-9]+)`)

// otherID gives a message another id.
func otherID(line, id string) string {
	return idOf.ReplaceAllLiteralString(line, `"id":`+id)
}

// otherCase writes a random name of a message in upper case.
func otherCase(r *rand.Rand, line string) string {
	names := regexp.MustCompile(`"[a-z]+":`).FindAllStringIndex(line, -1)
	at := names[r.IntN(len(names))]
	return line[:at[0]] + strings.ToUpper(line[at[0]:at[1]]) + line[at[1]:]
}

// messages changes a line of one of the two talks in each trial.
func messages(r *rack) error {
	r.runTrials(r.trials(400, 60), func(i int) string { return fmt.Sprint("talk ", i) },
		func(t *trial, i int) error {
			talk, learner := slices.Clone(calls), i%2 == 1
			if learner {
				talk = slices.Clone(answers)
			}
			at, bad := t.rand.IntN(len(talk)), false
			switch line := talk[at]; i / 2 % 3 {
			case 0:
				talk[at], bad = otherID(line, ids[t.rand.IntN(len(ids))]), true
			case 1:
				talk[at] = otherCase(t.rand, line)
			default:
				talk[at] = strings.NewReplacer("\n", " ", "\x00", " ").Replace(mutate(t.rand, line))
			}
			err := t.write("talk", strings.Join(talk, "\n")+"\n")
			if err == nil && learner {
				err = checkAnswered(t, bad)
			} else if err == nil {
				err = checkServed(t, talk, at, bad)
			}
			if err != nil {
				err = fmt.Errorf("%.500q: %w", talk[at], err)
			}
			return err
		})
	return nil
}

// checkServed sends the calls to bench serve, of which number at is changed, and bad if it has no
// id. It returns an error unless every other call is answered by its id, and a bad one is not
// carried out.
func checkServed(t *trial, talk []string, at int, bad bool) error {
	p, err := t.runExpecting(0, "/bin/sh", "-c", t.programs+"/bench serve <talk")
	if err != nil {
		return err
	}
	if err := p.checkModest(); err != nil {
		return err
	}
	var got []string
	for line := range bytes.Lines(p.out.Bytes()) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Result struct {
				T int `json:"t"`
			} `json:"result"`
			Error json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("it answers %.200q: %w", line, err)
		}
		id := string(m.ID)
		if text := ""; json.Unmarshal(m.ID, &text) == nil && id != "null" {
			id = `"` + text + `"` // however its characters are escaped
		}
		got = append(got, id)
		if last := m.Result.T; bad && string(m.ID) == "9007199254740993" && at >= 2 && at <= 4 &&
			last != 2 {
			return fmt.Errorf("a round with no id is played: %d rounds", last)
		}
	}
	for k, line := range talk {
		if k == at {
			continue
		}
		if id := idOf.FindStringSubmatch(line)[1]; !slices.Contains(got, id) {
			return fmt.Errorf("the call %s is not answered: %q", id, got)
		}
	}
	if bad && (len(got) != len(talk) || got[at] != "null") {
		return fmt.Errorf("a call with no id is answered to %q", got)
	}
	return nil
}

// checkAnswered plays a game in which a learner gives the answers. It must end with an ordinary
// exit code, and fail if an id is bad.
func checkAnswered(t *trial, bad bool) error {
	const learner = `sh -c "while read -r call; do read -r answer <&3 || exit; printf '%s\n' ` +
		`\"\$answer\"; done 3<talk"`
	p, err := t.run("bench", "play", "--external", "a="+learner, "--algorithm", "a", "--problem",
		"shrinking", "--horizon", "3", "--external-timeout", "5s")
	if err != nil {
		return err
	}
	if code := p.code(); code != 0 && code != 2 && code != 3 || bad && code == 0 {
		return fmt.Errorf("exit code %d: %s", code, p.lastStderr())
	}
	return errors.Join(p.checkModest(), t.checkOrphans())
}

// checkModest returns an error for messages that are long, that are about Go, or that people cannot
// read.
func (p *process) checkModest() error {
	for _, out := range [][]byte{p.out.Bytes(), p.err.Bytes()} {
		for _, word := range []string{"Go struct", "Go value", "goroutine ", "panic: "} {
			if bytes.Contains(out, []byte(word)) {
				return fmt.Errorf("it says %s: %.500s", word, out)
			}
		}
	}
	if p.err.Len() > 10_000 {
		return fmt.Errorf("it says %d bytes", p.err.Len())
	}
	return checkPrintable(p.err.Bytes())
}

// Command oracle answers how Kubernetes 1.36 decides: it reads one JSON question per line, and writes one JSON answer per line.
//
// It uses only public packages of Kubernetes, so a difference from its answers is a difference from Kubernetes.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// question has the fields of all kinds of questions; each kind uses some of them.
type question struct {
	Kind string          `json:"kind"`
	Case json.RawMessage `json:"case"`

	// "stable", "incubating" or "experimental"; empty: the one that Kubernetes chooses for the features.
	Allocator string `json:"allocator"`

	// How often an allocator or CEL case is repeated, to find answers that depend on the order of Go maps.
	Times int `json:"times"`

	// Benchmarks: the cases, and the time for all of them together.
	Cases   []json.RawMessage `json:"cases"`
	Seconds float64           `json:"seconds"`

	// Quantities: one text, or a pair.
	Parse *string `json:"parse"`
	A     *string `json:"a"`
	B     *string `json:"b"`
}

// failure is the answer to an invalid question.
type failure struct {
	Error string `json:"error"`
}

// crash is the answer if Kubernetes' code panicked.
type crash struct {
	Panic string `json:"panic"`
}

// tooLong is the answer if the time limit was exceeded.
type tooLong struct {
	Timeout bool `json:"timeout"`
}

func main() {
	timeout := flag.Duration("timeout", 10*time.Second, "time limit for one case")
	flag.Parse()
	if flag.NArg() != 0 || *timeout <= 0 {
		fmt.Fprintln(os.Stderr, "usage: oracle [-timeout 10s] < questions.jsonl > answers.jsonl")
		os.Exit(2)
	}
	if err := serve(os.Stdin, os.Stdout, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

// serve answers questions until the end of the input. Lines may have any length; empty lines are skipped.
func serve(in io.Reader, out io.Writer, timeout time.Duration) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if len(trimmed(line)) > 0 {
			text, failed := json.Marshal(answer(line, timeout))
			if failed != nil {
				text, _ = json.Marshal(failure{"encode answer: " + failed.Error()})
			}
			if _, failed := out.Write(append(text, '\n')); failed != nil {
				return failed
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func trimmed(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}

// answer never panics: a panic of Kubernetes' code is an answer, too.
func answer(line []byte, timeout time.Duration) (reply any) {
	defer func() {
		if reason := recover(); reason != nil {
			reply = crash{fmt.Sprint(reason)}
		}
	}()

	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return failure{"decode question: " + err.Error()}
	}
	switch q.Kind {
	case "allocator":
		return answerAllocator(q, timeout)
	case "cel":
		return answerCEL(q, timeout)
	case "quantity":
		return answerQuantity(q)
	case "bench-allocator":
		return benchAllocator(q, timeout)
	case "bench-cel":
		return benchCEL(q, timeout)
	default:
		return failure{fmt.Sprintf("unknown kind %q; known: allocator, cel, quantity, bench-allocator, bench-cel", q.Kind)}
	}
}

// Command patch compares allot's patches with Kubernetes': patch PEER COUNT SEED
//
// It sends random objects of a few kinds and random patches to PEER and to Kubernetes' own packages. Both must return the same object, or
// both must refuse.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"reflect"
	"strconv"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	strictjson "sigs.k8s.io/json"
)

type question struct {
	Kind  string `json:"kind"`
	Type  string `json:"type"`
	Live  any    `json:"live"`
	Patch any    `json:"patch"`
}

type answer struct {
	Result  json.RawMessage `json:"result"`
	Refused int             `json:"refused"`
	Message string          `json:"message"`
}

type peer struct {
	in  io.Writer
	out *bufio.Reader
}

func (p *peer) ask(q *question) (*answer, error) {
	if _, err := p.in.Write(append(bytes.TrimSpace(write(q)), '\n')); err != nil {
		return nil, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	a := new(answer)
	return a, json.Unmarshal(line, a)
}

func write(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// errNone means that Kubernetes panics, for example on nulls in lists that a JSON patch tests.
var errNone = errors.New("none")

// expected returns Kubernetes' result of the patch, with the calls of its handlers/patch.go (1.36).
func expected(q *question) (result []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errNone
		}
	}()
	live, patch := write(q.Live), write(q.Patch)
	switch q.Type {
	case "json":
		var strict []struct {
			Op    string `json:"op"`
			Path  string `json:"path"`
			From  string `json:"from"`
			Value any    `json:"value"`
		}
		if _, err := strictjson.UnmarshalStrict(patch, &strict); err != nil {
			return nil, err
		}
		operations, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			return nil, err
		}
		return operations.Apply(live)
	case "merge":
		if _, err := strictjson.UnmarshalStrict(patch, &map[string]any{}); err != nil {
			return nil, err
		}
		return jsonpatch.MergePatch(live, patch)
	}
	var object, changes map[string]any
	if err := errors.Join(utiljson.Unmarshal(live, &object), utiljson.Unmarshal(patch, &changes)); err != nil {
		return nil, err
	}
	// The outcome depends on the capacity of the lists. The server's lists have no spare capacity, and neither have those of a copy.
	merged, err := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(object), changes, reflect.New(kinds[q.Kind]).Interface())
	return write(merged), err
}

func same(a, b []byte) bool {
	var one, other any
	if utiljson.Unmarshal(a, &one) != nil || utiljson.Unmarshal(b, &other) != nil {
		return false
	}
	return reflect.DeepEqual(one, other)
}

type tally struct{ done, refused, silent, failed int }

// outcome is the result of a patch, and its text for messages.
type outcome struct {
	refused bool
	text    []byte
}

func (a outcome) equals(b outcome) bool {
	return a.refused == b.refused && (a.refused || same(a.text, b.text))
}

func kubernetes(q *question) (outcome, error) {
	result, err := expected(q)
	switch err {
	case nil:
		return outcome{false, result}, nil
	case errNone:
		return outcome{}, err
	}
	return outcome{true, []byte("refused: " + err.Error())}, nil
}

// isCertain reports whether the patch has one outcome. Go's maps have no order, so a patch with two directives for one list may have several.
func isCertain(q *question, want outcome) bool {
	for range 200 {
		if again, err := kubernetes(q); err != nil || !again.equals(want) {
			return false
		}
	}
	return true
}

func check(p *peer, q *question, t *tally) error {
	reply, err := p.ask(q)
	if err != nil {
		return err
	}
	got := outcome{false, reply.Result}
	if reply.Refused != 0 {
		got = outcome{true, []byte(fmt.Sprintf("refused: %d %s", reply.Refused, reply.Message))}
	}
	t.done++
	want, err := kubernetes(q)
	if err != nil || !got.equals(want) && !isCertain(q, want) {
		t.silent++
		return nil
	}
	if want.refused {
		t.refused++
	}
	if !got.equals(want) {
		t.failed++
		fmt.Printf("%s patch of %s\nlive:     %s\npatch:    %s\nexpected: %s\ngot:      %s\n\n", q.Type, q.Kind, write(q.Live), write(q.Patch),
			want.text, got.text)
	}
	return nil
}

func run(program string, count int, seed int64) error {
	command := exec.Command(program)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	p := &peer{in, bufio.NewReaderSize(out, 1<<20)}
	tallies, failed := map[string]*tally{}, 0
	for i := 0; i < count && failed < 10; i++ {
		q := generate(rand.New(rand.NewSource(seed + int64(i))))
		t := tallies[q.Type]
		if t == nil {
			t = new(tally)
			tallies[q.Type] = t
		}
		before := t.failed
		if err := check(p, q, t); err != nil {
			return fmt.Errorf("seed %d: %w", seed+int64(i), err)
		}
		if t.failed > before {
			failed++
			fmt.Printf("^ seed %d\n\n", seed+int64(i))
		}
	}
	in.Close()
	if err := command.Wait(); err != nil {
		return err
	}
	for _, name := range []string{"strategic", "json", "merge"} {
		if t := tallies[name]; t != nil {
			fmt.Printf("%s: %d cases, %d refused by Kubernetes, %d without its answer, %d differ\n", name, t.done, t.refused, t.silent, t.failed)
		}
	}
	if failed > 0 || len(tallies) == 0 {
		os.Exit(1)
	}
	return nil
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: patch PEER COUNT SEED")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[2])
	if err == nil {
		var seed int64
		if seed, err = strconv.ParseInt(os.Args[3], 10, 64); err == nil {
			err = run(os.Args[1], count, seed)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "patch:", err)
		os.Exit(1)
	}
}

// Command wire compares allot's protobuf with Kubernetes': wire PEER COUNT SEED
//
// It sends random objects of every kind that PEER supports, as Kubernetes encodes them. PEER decodes and encodes them again, and converts
// them between JSON and protobuf. Kubernetes must decode the results to the same object.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

type peer struct {
	in  io.Writer
	out *bufio.Reader
}

// ask sends a line and returns the words of the answer.
func (p *peer) ask(words ...string) ([]string, error) {
	if _, err := fmt.Fprintln(p.in, strings.Join(words, " ")); err != nil {
		return nil, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(line, "\n"), " "), nil
}

type wire struct {
	scheme   *runtime.Scheme
	protobuf *protobuf.Serializer
	json     *json.Serializer
}

func (w *wire) write(encoder runtime.Encoder, object runtime.Object) []byte {
	var out bytes.Buffer
	if err := encoder.Encode(object, &out); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// asJSON decodes an object and returns Kubernetes' JSON of it.
func (w *wire) asJSON(decoder runtime.Decoder, text []byte, kind schema.GroupVersionKind) ([]byte, error) {
	object, _, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	return w.write(w.json, object), nil
}

// check sends one object to the peer and returns an error if the answer is wrong.
func (w *wire) check(p *peer, kind schema.GroupVersionKind, seed int64) error {
	object, err := w.scheme.New(kind)
	if err != nil {
		return err
	}
	fillObject(object, rand.New(rand.NewSource(seed)))
	object.GetObjectKind().SetGroupVersionKind(kind)
	proto := w.write(w.protobuf, object)
	expected, err := w.asJSON(w.protobuf, proto, kind)
	if err != nil {
		return err
	}
	words, err := p.ask(kind.GroupVersion().String(), kind.Kind, encode(proto), encode(expected))
	if err != nil {
		return err
	}
	if len(words) != 3 {
		return fmt.Errorf("answer: %s\nobject: %s", strings.Join(words, " "), expected)
	}
	for i, what := range []string{"protobuf read and written", "protobuf from JSON", "JSON from protobuf"} {
		text, err := base64.StdEncoding.DecodeString(words[i])
		if err != nil {
			return err
		}
		var decoder runtime.Decoder = w.protobuf
		if i == 2 {
			decoder = w.json
		}
		got, err := w.asJSON(decoder, text, kind)
		if err != nil {
			return fmt.Errorf("%s: %w\nobject: %s", what, err, expected)
		}
		if !bytes.Equal(got, expected) {
			return fmt.Errorf("%s\nexpected: %sgot:      %s", what, expected, got)
		}
	}
	return nil
}

func encode(text []byte) string { return base64.StdEncoding.EncodeToString(text) }

func run(program string, count int, seed int64) error {
	scheme := newScheme()
	w := &wire{scheme, protobuf.NewSerializer(scheme, scheme),
		json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Strict: true})}
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
	kinds, err := p.ask("kinds")
	if err != nil {
		return err
	}
	objects, failed := 0, 0
	for _, name := range kinds {
		if name == "v1/WatchEvent" {
			continue // has no apiVersion and kind
		}
		at := strings.LastIndex(name, "/")
		group, err := schema.ParseGroupVersion(name[:at])
		if err != nil {
			return err
		}
		for i := 0; i < count; i++ {
			objects++
			if err := w.check(p, group.WithKind(name[at+1:]), seed+int64(i)); err != nil {
				failed++
				fmt.Printf("%s, seed %d: %v\n", name, seed+int64(i), err)
				break // one failure per kind is enough
			}
		}
	}
	in.Close()
	if err := command.Wait(); err != nil {
		return err
	}
	fmt.Printf("%d objects of %d kinds, %d kinds differ\n", objects, len(kinds), failed)
	if failed > 0 || objects == 0 {
		os.Exit(1)
	}
	return nil
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: wire PEER COUNT SEED")
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
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

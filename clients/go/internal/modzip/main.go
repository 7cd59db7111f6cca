// Command modzip writes this module as the Go proxy would serve it, into a folder that GOPROXY=file://… can name.
//
//	go run ./internal/modzip -version v0.1.0 -out dist/proxy
package main

import (
	"archive/zip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const module = "github.com/postern-gateway/postern/clients/go"

// published is a fixed time, so that the same files give the same archive.
var published = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func main() {
	version := flag.String("version", "", "version of the module, such as v0.1.0")
	out := flag.String("out", "", "folder to write to")
	flag.Parse()
	if *version == "" || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	file, size, err := write(*version, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s %d bytes\n", file, size)
}

// write gives the name and the size of the archive.
func write(version, out string) (string, int64, error) {
	folder := filepath.Join(out, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", 0, err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return "", 0, err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, published.Format(time.RFC3339))
	texts := map[string]string{"list": version + "\n", version + ".info": info, version + ".mod": string(mod)}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return "", 0, err
		}
	}
	archive := filepath.Join(folder, version+".zip")
	if err := writeArchive(archive, version); err != nil {
		return "", 0, err
	}
	state, err := os.Stat(archive)
	if err != nil {
		return "", 0, err
	}
	return archive, state.Size(), nil
}

func writeArchive(name, version string) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	defer func() { err = errors.Join(err, archive.Close(), file.Close()) }()
	return filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".":
			return nil
		case strings.HasPrefix(entry.Name(), "."), entry.IsDir() && (entry.Name() == "dist" || entry.Name() == "vendor"):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		return add(archive, path, module+"@"+version+"/"+filepath.ToSlash(path))
	})
}

func add(archive *zip.Writer, path, name string) error {
	source, err := os.Open(path)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: published})
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return err
}

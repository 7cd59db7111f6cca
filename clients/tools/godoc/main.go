// Command godoc writes the documentation of the Go package in a folder as one page of HTML, with what the standard
// library has for it.
//
//	go run . FOLDER IMPORT-PATH >index.html
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"html/template"
	"io/fs"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: godoc FOLDER IMPORT-PATH")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write prints the page of the package. Example programs come with it.
func write(folder, importPath string) error {
	files := token.NewFileSet()
	parsed, err := parser.ParseDir(files, folder, func(info fs.FileInfo) bool {
		return !strings.HasSuffix(info.Name(), "_test.go") || strings.HasPrefix(info.Name(), "example")
	}, parser.ParseComments)
	if err != nil {
		return err
	}
	var all []*ast.File
	for _, each := range parsed {
		for _, file := range each.Files {
			all = append(all, file)
		}
	}
	documented, err := doc.NewFromFiles(files, all, importPath)
	if err != nil {
		return err
	}
	page, err := template.New("page").Funcs(template.FuncMap{
		"text": func(text string) template.HTML { return template.HTML(documented.HTML(text)) },
		"code": func(node any) (string, error) {
			var source bytes.Buffer
			err := format.Node(&source, files, node)
			return source.String(), err
		},
		"first":    documented.Synopsis,
		"receiver": func(name string) string { return strings.TrimPrefix(name, "*") },
	}).Parse(layout)
	if err != nil {
		return err
	}
	return page.Execute(os.Stdout, documented)
}

const layout = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Name}} – Go</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8885; border-radius: .375rem }
pre, code { font: 14px/1.5 ui-monospace, monospace }
h2, h3 { margin-top: 2.5rem }
</style>
</head>
<body>
<h1>package {{.Name}}</h1>
<pre>import "{{.ImportPath}}"</pre>
{{text .Doc}}
<h2 id="pkg-index">Index</h2>
<ul>
{{range .Funcs}}<li><a href="#{{.Name}}">func {{.Name}}</a>: {{first .Doc}}</li>
{{end}}{{range .Types}}<li><a href="#{{.Name}}">type {{.Name}}</a>: {{first .Doc}}</li>
{{end}}</ul>
{{define "values"}}{{range .}}{{range .Names}}<a id="{{.}}"></a>{{end}}<pre>{{code .Decl}}</pre>
{{text .Doc}}{{end}}{{end}}
{{define "examples"}}{{range .}}<p>Example{{with .Suffix}} ({{.}}){{end}}:</p>
<pre>{{code .Code}}</pre>
{{end}}{{end}}
{{define "funcs"}}{{range .}}<h3 id="{{with .Recv}}{{receiver .}}.{{end}}{{.Name}}">func {{with .Recv}}({{.}}) {{end}}{{.Name}}</h3>
<pre>{{code .Decl}}</pre>
{{text .Doc}}{{template "examples" .Examples}}{{end}}{{end}}
{{template "examples" .Examples}}
{{template "values" .Consts}}{{template "values" .Vars}}
{{template "funcs" .Funcs}}
{{range .Types}}<h2 id="{{.Name}}">type {{.Name}}</h2>
<pre>{{code .Decl}}</pre>
{{text .Doc}}{{template "examples" .Examples}}{{template "values" .Consts}}{{template "values" .Vars}}
{{template "funcs" .Funcs}}{{template "funcs" .Methods}}
{{end}}
</body>
</html>
`

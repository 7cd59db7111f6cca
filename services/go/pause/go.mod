module example.com/postern/pause

go 1.26.0

module postern.invalid/godoc

go 1.21

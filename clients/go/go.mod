module github.com/postern-gateway/postern/clients/go

go 1.21

# Manages endpoints, consumers and grants with Postern's management API and the generic provider for REST APIs.
# docs/manage.md#terraform lists the limitations.

terraform {
  required_providers {
    restapi = {
      source  = "Mastercard/restapi"
      version = "3.0.0"
    }
  }
}

variable "postern_url" {
  description = "Where postern manage is reached."
  type        = string
  default     = "http://127.0.0.1:9004"
}

variable "postern_token" {
  description = "The token of an operator; set it as TF_VAR_postern_token."
  type        = string
  sensitive   = true
}

provider "restapi" {
  uri                   = var.postern_url
  bearer_token          = var.postern_token
  id_attribute          = "id"
  create_returns_object = true
  update_method         = "PATCH"

  headers = {
    "Content-Type" = "application/json"
    "If-Match"     = "*" # overwrites changes by others since Terraform read the object
  }
}

locals {
  endpoints = { for file in fileset(path.module, "endpoints/*.json") : file => jsondecode(file("${path.module}/${file}")) }
  consumers = { for file in fileset(path.module, "consumers/*.json") : file => jsondecode(file("${path.module}/${file}")) }
  grants    = { for file in fileset(path.module, "grants/*.json") : file => jsondecode(file("${path.module}/${file}")) }
}

resource "restapi_object" "endpoint" {
  for_each = local.endpoints

  path                    = "/v1/endpoints"
  data                    = jsonencode(each.value)
  update_data             = jsonencode({ for name, value in each.value : name => value if name != "id" })
  force_new               = ["id"]
  ignore_server_additions = true
}

resource "restapi_object" "consumer" {
  for_each = local.consumers

  path                    = "/v1/consumers"
  data                    = jsonencode(each.value)
  update_data             = jsonencode({ for name, value in each.value : name => value if name != "id" })
  force_new               = ["id"]
  ignore_server_additions = true
}

resource "restapi_object" "grant" {
  for_each   = local.grants
  depends_on = [restapi_object.endpoint, restapi_object.consumer]

  path                    = "/v1/grants"
  data                    = jsonencode(each.value)
  update_data             = jsonencode({ for name, value in each.value : name => value if !contains(["endpoint", "consumer"], name) })
  force_new               = ["endpoint", "consumer"]
  ignore_server_additions = true
}

{{- /* The image: a digest, where there is one, decides. */ -}}
{{- define "postern.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end -}}
{{- end -}}

{{- /* A declarative file has no schema to create. */ -}}
{{- define "postern.hasSchema" -}}
{{- if and .Values.schema.enabled (not .Values.components.fileStore) -}}yes{{- end -}}
{{- end -}}

{{- define "postern.settings" -}}
{{- range $name, $value := mergeOverwrite (include "postern.defaults" . | fromYaml) .Values.settings }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "postern-manage.settings" -}}
{{- range $name, $value := mergeOverwrite (include "postern-manage.defaults" . | fromYaml) .Values.manage.settings }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "postern.resources" -}}
{{- toYaml (mergeOverwrite (include "postern.defaultResources" . | fromYaml) .Values.resources) }}
{{- end -}}

{{- /* Where pods of the chart run, and with what right to pull their images. */ -}}
{{- define "postern.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
{{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
{{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
{{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* The image of a service: by digest, when the values have one. Called with the root and a name. */}}
{{- define "ratchet.image" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $images := $root.Values.images -}}
{{- $digest := get $images.digests $name -}}
{{- if $digest -}}
{{- printf "%s/%s@%s" $images.registry $name $digest | toJson -}}
{{- else -}}
{{- printf "%s/%s:%s" $images.registry $name ($images.tag | default $root.Chart.AppVersion) | toJson -}}
{{- end -}}
{{- end -}}

{{/* The Job of migrations. A Job is immutable, so every release needs another name. Called with the root. */}}
{{- define "ratchet.migrationsName" -}}
{{- $tag := .Values.images.tag | default .Chart.AppVersion -}}
{{- .Values.migrations.name | default (printf "migrate-%s" ($tag | replace "." "-")) | toJson -}}
{{- end -}}

{{/* Data of a ConfigMap: that of the values, then that of each component. Called with the root and a name. */}}
{{- define "ratchet.configMapData" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $data := dict -}}
{{- range $key, $value := get $root.Values.configMaps $name | default dict -}}
{{- $_ := set $data $key $value -}}
{{- end -}}
{{- range $_, $component := $root.Values.components -}}
{{- if $component.enabled -}}
{{- range $key, $value := get (get $component "configMaps" | default dict) $name | default dict -}}
{{- $_ := set $data $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $key, $value := $data -}}
{{- $_ := set $data $key ($value | replace "<namespace>" $root.Release.Namespace) -}}
{{- end -}}
{{- toJson $data -}}
{{- end -}}

{{/*
Name of a ConfigMap with the hash of its data, as kustomize computes it: pods restart exactly when a setting that they read
changes, and pods of the previous release keep theirs. Called with the root and a name.
*/}}
{{- define "ratchet.configMapName" -}}
{{- $name := index . 1 -}}
{{- $data := include "ratchet.configMapData" . | fromJson -}}
{{- $sum := dict "kind" "ConfigMap" "name" "" "data" $data | toJson | sha256sum | trunc 10 -}}
{{- $hash := $sum | replace "0" "g" | replace "1" "h" | replace "3" "k" | replace "a" "m" | replace "e" "t" -}}
{{- printf "%s-%s" $name $hash | toJson -}}
{{- end -}}

{{- define "footy.labels" -}}
app.kubernetes.io/name: footy
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* (list $ part): what a deployment and its network policies select. */}}
{{- define "footy.selector" -}}
app.kubernetes.io/name: footy
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "footy.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "footy.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* (dict "root" $ "part" name "args" list "resources" map) and optionally env, volumes, mounts,
     probes, account: one pod of one part. */}}
{{- define "footy.pod" -}}
{{- $ := .root -}}
metadata:
  labels:
    {{- include "footy.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
spec:
  {{- with .account }}
  serviceAccountName: {{ . }}
  {{- end }}
  automountServiceAccountToken: {{ if .account }}true{{ else }}false{{ end }}
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  securityContext:
    {{- include "footy.podSecurity" $ | nindent 4 }}
  {{- with $.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .part }}
      image: "{{ $.Values.image.repository }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}"
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      securityContext:
        {{- include "footy.containerSecurity" $ | nindent 8 }}
      env:
        {{- range $name, $value := $.Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- if $.Values.providersConfigMap }}
        - name: FOOTY_PROVIDERS_FILE
          value: /etc/footy/sources.yaml
        {{- end }}
        {{- range $name, $value := .env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- with .secretEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      envFrom:
        - secretRef: {name: {{ $.Values.settingsSecret }}}
      {{- with .port }}
      ports:
        - {name: http, containerPort: {{ . }}}
      {{- end }}
      {{- with .probes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - {name: home, mountPath: /var/lib/footy}
        - {name: tmp, mountPath: /tmp}
        {{- if $.Values.providersConfigMap }}
        - {name: providers, mountPath: /etc/footy, readOnly: true}
        {{- end }}
        {{- with .mounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - {name: home, emptyDir: {}}
    - {name: tmp, emptyDir: {}}
    {{- if $.Values.providersConfigMap }}
    - {name: providers, configMap: {name: {{ $.Values.providersConfigMap }}}}
    {{- end }}
    {{- with .volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* The name of a part: a port that answers is alive; ready is what answers a request. */}}
{{- define "footy.probes" -}}
startupProbe:
  tcpSocket: {port: http}
  periodSeconds: 5
  failureThreshold: 36
livenessProbe:
  tcpSocket: {port: http}
  periodSeconds: 20
readinessProbe:
  exec: {command: [footy, alive, {{ . }}]}
  periodSeconds: 15
  timeoutSeconds: 10
{{- end }}

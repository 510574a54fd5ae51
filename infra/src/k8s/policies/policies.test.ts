import path from 'node:path'
import { schemaProblems } from '../check-schema.ts'
import type { KubeObject } from '../kube-object.ts'
import { findRenderer, manifestsFolder } from '../render.ts'
import { setField } from '../set-field.fixture.ts'
import { policies } from './all-policies.ts'

/* Every policy, broken on purpose: a policy that nothing can break would keep nothing. */
const render = findRenderer()
const rendered = new Map<string, readonly KubeObject[]>()
const onceRendered = render === null ? describe.skip : describe

function objectsOf(root: string): readonly KubeObject[] {
  const known = rendered.get(root) ?? render?.(path.join(manifestsFolder, root)) ?? []
  rendered.set(root, known)
  return known
}

type Change = readonly [target: string, at: string, value: unknown, problem: string]

const pod = 'spec.template.spec'
const container = `${pod}.containers.0`
const security = `${container}.securityContext`

const changes: Readonly<Record<keyof typeof policies, readonly Change[]>> = {
  podSecurity: [
    ['Namespace/ratchet', 'metadata.labels', {}, 'does not enforce'],
    ['ServiceAccount/edge', 'automountServiceAccountToken', true, 'service account edge mounts its token'],
    ['Deployment/edge', `${pod}.automountServiceAccountToken`, undefined, 'edge mounts the token'],
    ['Deployment/edge', `${pod}.hostNetwork`, true, 'edge shares with its node'],
    ['Deployment/edge', `${pod}.volumes.0`, { name: 'tmp', hostPath: { path: '/tmp' } }, 'a hostPath volume'],
    ['Deployment/edge', `${pod}.securityContext.runAsNonRoot`, undefined, 'may run as root'],
    ['Deployment/edge', `${security}.runAsUser`, 0, 'does not say as whom'],
    ['Deployment/edge', `${pod}.securityContext.seccompProfile.type`, 'Unconfined', 'no seccomp profile'],
    ['Deployment/edge', `${security}.allowPrivilegeEscalation`, undefined, 'may gain privileges'],
    ['Deployment/edge', `${security}.privileged`, true, 'may gain privileges'],
    ['Deployment/edge', `${security}.capabilities`, { drop: ['NET_RAW'] }, 'keeps capabilities'],
    ['Deployment/edge', `${security}.capabilities`, { drop: ['ALL'], add: ['SYS_ADMIN'] }, 'keeps capabilities'],
    ['Deployment/edge', `${security}.readOnlyRootFilesystem`, false, 'may write its root filesystem'],
    ['Deployment/edge', `${container}.ports.0.hostPort`, 80, 'takes a port of its node'],
    ['Deployment/edge', `${pod}.initContainers`, [{ name: 'fix', image: 'a:1' }], 'edge/fix keeps capabilities'],
    ['Job/migrate', `${security}.readOnlyRootFilesystem`, undefined, 'migrate/service may write'],
  ],
  workloads: [
    ['Deployment/edge', `${container}.image`, 'ratchet/edge:latest', 'whatever that is'],
    ['Deployment/edge', `${container}.image`, 'registry:5000/ratchet/edge', 'whatever that is'],
    ['Deployment/alias', `${container}.resources.requests.cpu`, undefined, 'alias/service requests no CPU'],
    ['Deployment/alias', `${container}.resources.requests.memory`, undefined, 'requests no memory'],
    ['Deployment/alias', `${container}.resources.limits.memory`, '2Gi', 'requests other memory than'],
    ['Deployment/inference', `${container}.resources.limits.cpu`, '2', 'inference/service is throttled'],
    ['Deployment/eval', `${container}.startupProbe`, undefined, 'no startup probe'],
    ['Deployment/eval', `${container}.readinessProbe`, undefined, 'no readiness probe'],
    ['Deployment/eval', `${container}.livenessProbe`, undefined, 'no liveness probe'],
    ['Deployment/eval', `${container}.livenessProbe.httpGet.port`, 'metrics', 'asks port metrics'],
    ['Deployment/eval', 'spec.strategy.rollingUpdate.maxUnavailable', 1, 'a rollout of eval leaves a gap'],
    ['Deployment/eval', 'spec.selector.matchLabels', { app: 'eval' }, 'does not select its own pods'],
    ['Deployment/eval', `${pod}.topologySpreadConstraints.0.labelSelector.matchLabels`, { a: 'b' }, 'is not spread'],
    ['Deployment/eval', `${pod}.topologySpreadConstraints.1.matchLabelKeys`, ['app'], 'is not spread'],
    [
      'Job/migrate',
      `${container}.envFrom`,
      [{ configMapRef: { name: 'a-5bdd46h8ch' } }],
      'job migrate changes with a-5b',
    ],
  ],
  lifecycle: [
    ['Deployment/edge', `${pod}.terminationGracePeriodSeconds`, 634, 'gets 634 s to stop and may take 635 s'],
    ['Deployment/edge', `${container}.lifecycle`, undefined, 'stops while it is sent to'],
    ['Deployment/edge', `${container}.lifecycle.preStop`, { exec: { command: ['sleep', '5'] } }, 'has no shell'],
    ['Deployment/judging-worker', `${pod}.terminationGracePeriodSeconds`, 600, 'judging-worker gets 600 s'],
    ['Deployment/edge', `${container}.env.0`, { name: 'NODE_OPTIONS', value: '' }, 'the heap of edge'],
    ['Deployment/edge', `${container}.livenessProbe.httpGet.path`, '/readyz', 'is not asked for /livez'],
    ['Deployment/edge', `${container}.readinessProbe.httpGet.port`, 'http', 'is not asked for /readyz'],
  ],
  references: [
    ['Deployment/edge', `${container}.envFrom.0.configMapRef.name`, 'settings', 'wants settings, which nobody makes'],
    ['Deployment/edge', `${container}.env.0.valueFrom.secretKeyRef.key`, 'URL', 'wants ratchet-stores/URL'],
    ['Deployment/inference', `${container}.envFrom.2.secretRef.optional`, false, 'wants ratchet-providers'],
    ['Deployment/edge', `${container}.volumeMounts.0.name`, 'temp', 'mounts no temp'],
    ['Deployment/edge', `${pod}.serviceAccountName`, 'edgy', 'runs as edgy'],
    ['Service/edge', 'spec.selector', { 'app.kubernetes.io/name': 'edgy' }, 'in front of 0 workloads'],
    ['Service/edge', 'spec.selector', { 'app.kubernetes.io/component': 'api' }, 'in front of 6 workloads'],
    ['Service/edge', 'spec.ports.0.targetPort', 8081, 'sends to port 8081'],
    ['PodDisruptionBudget/edge', 'spec.selector.matchLabels', { a: 'b' }, 'edge has not one disruption budget'],
    ['PodDisruptionBudget/edge', 'spec.maxUnavailable', 0, 'edge has not one disruption budget'],
    ['PodDisruptionBudget/edge', 'spec.unhealthyPodEvictionPolicy', undefined, 'edge has not one disruption budget'],
  ],
  placement: [
    ['Service/edge', 'metadata.namespace', undefined, 'Service edge is in no namespace'],
    ['Service/edge', 'metadata.namespace', 'default', 'Service edge is in default'],
    ['Service/edge', 'metadata.name', 'eval', 'Service eval is there twice'],
  ],
  scaling: [
    ['Deployment/edge', 'spec.replicas', 3, 'edge has replicas of its own'],
    ['HorizontalPodAutoscaler/edge', 'spec.scaleTargetRef.name', 'alias', 'both scale alias'],
    ['HorizontalPodAutoscaler/edge', 'spec.scaleTargetRef.name', 'edgy', 'edgy, which is no Deployment'],
  ],
  network: [
    ['NetworkPolicy/default-deny', 'spec.policyTypes', ['Ingress'], 'nothing denies by default'],
    ['NetworkPolicy/default-deny', 'spec.podSelector', { matchLabels: { a: 'b' } }, 'nothing denies by default'],
    ['NetworkPolicy/dns', 'spec.egress.0.ports', [{ protocol: 'TCP', port: 5353 }], 'edge cannot resolve names'],
    ['NetworkPolicy/edge', 'spec.ingress', [], 'nobody reaches the edge'],
    ['NetworkPolicy/edge', 'spec.ingress', [{}], 'anybody reads the metrics of the edge'],
    ['NetworkPolicy/edge', 'spec.egress.0.ports.0.port', 9090, 'edge cannot reach inference:8081'],
    ['NetworkPolicy/logging', 'spec.egress', [], 'logging cannot reach judging:8084'],
    ['NetworkPolicy/logging', 'spec.egress.0', { to: [{ podSelector: {} }] }, 'logging may leave for edge:8080'],
    ['NetworkPolicy/inference', 'spec.ingress.0.from', [], 'inference:8081 lets logging in'],
    ['NetworkPolicy/inference', 'spec.ingress.0.ports', [], 'inference:9090 lets edge in'],
    ['NetworkPolicy/to-postgres', 'spec.podSelector.matchExpressions.0.values', ['edge'], 'alias and Postgres outside'],
    ['NetworkPolicy/to-redis', 'spec.podSelector', {}, 'edge and Redis outside'],
    ['NetworkPolicy/to-outside', 'spec.podSelector', {}, 'edge and 8.8.8.8 do not fit'],
    ['NetworkPolicy/to-outside', 'spec.egress.0.to.0.ipBlock.except', ['10.0.0.0/8'], 'may reach 169.254.169.254'],
    ['NetworkPolicy/to-outside', 'spec.egress.0.to.1.ipBlock.cidr', '::/0', 'may reach fd00:ec2::254'],
  ],
  parity: [
    ['Deployment/edge', 'metadata.name', 'door', 'nothing runs edge'],
    ['Deployment/edge', `${container}.image`, 'ratchet/alias:1', 'edge runs the image ratchet/alias'],
    ['Deployment/eval-worker', `${container}.args`, undefined, 'eval-worker starts with'],
    ['Deployment/eval-worker', `${container}.args`, ['./service/src/worker.ts'], 'eval-worker starts with ./service'],
    ['Deployment/edge', `${container}.ports.0.containerPort`, 80, 'edge does not listen on 8080'],
    ['Deployment/edge', `${container}.ports`, [{ name: 'http', containerPort: 8080 }], 'edge does not listen on 8080'],
    ['Service/alias', 'spec.ports.0.port', 80, 'the service alias answers on [80], not [8088]'],
    ['Deployment/edge', `${container}.env.0.name`, 'DATABASE', 'edge does not read DATABASE'],
    ['Deployment/edge', `${container}.env.0.name`, 'DATABASE', 'edge is not given DATABASE_URL'],
    [
      'Deployment/edge',
      `${container}.env.0`,
      { name: 'ALIAS_URL', value: 'http://b:1' },
      'edge has ALIAS_URL=http://b:1',
    ],
    ['Deployment/alias', `${container}.env.0`, { name: 'ALIAS_PORT', value: '1' }, 'alias does not read ALIAS_PORT'],
    [
      'Deployment/edge',
      `${container}.env.0`,
      { name: 'DATABASE_URL', value: 'postgres://' },
      'DATABASE_URL in the open',
    ],
    [
      'Deployment/alias',
      `${container}.env.1.valueFrom.secretKeyRef.key`,
      'IDENTITY_MASTER_KEYS',
      'takes IDENTITY_KEYS from IDENTITY_MASTER_KEYS',
    ],
  ],
}

onceRendered.each(Object.entries(changes))('the policies of %s', (name, table) => {
  it('pass what is sound', () => {
    expect(policies[name]?.(objectsOf('base'))).toEqual([])
  })

  it.each(table)('do not pass %s with %s = %j', (target, at, value, problem) => {
    const objects = objectsOf('base')

    const problems = policies[name]?.(setField(objects, target, at, value)) ?? []

    expect(problems.join('\n')).toContain(problem)
  })
})

onceRendered('the policies of overlays', () => {
  it.each([
    `registry.example.com:5000/ratchet/edge@sha256:${'0a'.repeat(32)}`,
    `ratchet/edge:1.2.3@sha256:${'0a'.repeat(32)}`,
    'registry.example.com:5000/ratchet/edge:1.2.3-rc.1',
  ])('take an image that says which one it is: %s', (image) => {
    const objects = setField(objectsOf('base'), 'Deployment/edge', `${container}.image`, image)

    expect([...(policies.workloads?.(objects) ?? []), ...(policies.parity?.(objects) ?? [])]).toEqual([])
  })

  it('let no autoscaler stand beside KEDA', () => {
    const objects = objectsOf('overlays/keda')
    const broken = setField(objects, 'HorizontalPodAutoscaler/edge', 'spec.scaleTargetRef.name', 'eval-worker')

    expect(policies.scaling?.(broken)).toEqual(['autoscaler edge and scaled object eval-worker both scale eval-worker'])
  })

  it('want every secret of somebody who makes it', () => {
    const objects = objectsOf('overlays/external-secrets')
    const broken = setField(objects, 'ExternalSecret/ratchet-stores', 'spec.data.0.secretKey', 'POSTGRES_URL')

    expect(policies.references?.(broken)?.join('\n')).toContain('edge/service wants ratchet-stores/DATABASE_URL')
  })

  it('know who reaches stores and the provider inside the namespace', () => {
    const objects = objectsOf('overlays/dev')
    const stranger = setField(objects, 'NetworkPolicy/to-simulated-provider', 'spec.podSelector', {})
    const open = setField(objects, 'NetworkPolicy/simulated-provider', 'spec.ingress', [{}])
    const closed = setField(objects, 'NetworkPolicy/redis', 'spec.ingress', [])

    expect(policies.network?.(stranger)).toContain('edge may leave for simulated-provider:8089')
    expect(policies.network?.(open)).toContain('simulated-provider:8089 lets edge in')
    expect(policies.network?.(closed)).toContain('inference cannot reach redis:6379')
  })
})

onceRendered('the policy of neighbours', () => {
  it.each(['monitoring', 'keda'])('passes what is sound with %s', (overlay) => {
    expect(policies.neighbours?.(objectsOf(`overlays/${overlay}`))).toEqual([])
  })

  const scrapes = 'spec.ingress.0'
  const traces = 'spec.egress.0'
  const admin = 'PodMonitor/ratchet'

  it.each<readonly [overlay: string, ...Change]>([
    ['base', 'NetworkPolicy/alias', 'spec.ingress.0.from', [{ namespaceSelector: {} }], 'alias:8088 lets default in'],
    ['base', 'NetworkPolicy/edge', 'spec.egress', [{ ports: [{ port: 4318 }] }], 'edge may leave for http://otel-coll'],
    ['monitoring', 'NetworkPolicy/monitoring', 'spec.ingress', [], 'monitoring cannot reach edge:9090'],
    ['monitoring', 'NetworkPolicy/monitoring', `${scrapes}.ports.0.port`, 9090, 'cannot reach judging-worker:8085'],
    ['monitoring', 'NetworkPolicy/monitoring', `${scrapes}.ports`, [], 'inference:8081 lets monitoring in'],
    ['monitoring', 'NetworkPolicy/monitoring', scrapes, { ports: [{ port: 'admin' }] }, 'edge:9090 lets default in'],
    ['monitoring', admin, 'spec.selector', { matchLabels: { a: 'b' } }, 'nobody scrapes edge'],
    ['monitoring', admin, 'spec.podMetricsEndpoints.0.port', 'http', 'nobody scrapes judging-worker'],
    ['monitoring', 'NetworkPolicy/monitoring', 'spec.egress', [], 'edge cannot reach http://otel-collector'],
    ['monitoring', 'NetworkPolicy/monitoring', `${traces}.ports.0.port`, 4317, 'alias cannot reach http://otel'],
    ['keda', 'NetworkPolicy/from-keda', 'spec.ingress', [], 'keda cannot reach judging:9090'],
    ['keda', 'NetworkPolicy/from-keda', 'spec.ingress.0.ports.0.port', 8086, 'keda cannot reach eval:9090'],
    ['keda', 'NetworkPolicy/from-keda', 'spec.podSelector', {}, 'alias:9090 lets keda in'],
    ['keda', 'NetworkPolicy/from-keda', 'spec.ingress.0.from', [], 'judging:9090 lets default in'],
    ['keda', 'Service/eval-admin', 'spec.ports.0.port', 9091, 'http://eval-admin.ratchet.svc:9090/metrics leads to no'],
    ['keda', 'Service/eval-admin', 'metadata.namespace', 'default', 'eval-admin.ratchet.svc:9090/metrics leads to no'],
    ['keda', 'Service/eval-admin', 'spec.ports.0.targetPort', 'http', 'keda cannot reach eval:8086'],
  ])('does not pass %s: %s with %s = %j', (overlay, target, at, value, problem) => {
    const objects = setField(objectsOf(`${overlay === 'base' ? '' : 'overlays/'}${overlay}`), target, at, value)

    expect(policies.neighbours?.(objects).join('\n')).toContain(problem)
  })

  it('wants nobody to speak to a collector of whom nobody told it', () => {
    const objects = objectsOf('overlays/monitoring')
    const silent = objects.filter(({ kind }) => kind !== 'ConfigMap')

    expect(policies.neighbours?.(silent).join('\n')).toContain('edge may leave for http://otel-collector')
  })
})

onceRendered('the check of schemas', () => {
  it.each([
    ['keda', 'Deployment/edge', `${container}.resorces`, {}, 'no field spec.template.spec.containers.0.resorces'],
    ['keda', 'Deployment/edge', 'spec.replicas', 'two', 'spec/replicas'],
    ['keda', 'Deployment/edge', 'apiVersion', 'apps/v2', 'nobody knows apps/v2 Deployment'],
    ['keda', 'Deployment/edge', 'spec.selector', undefined, 'selector'],
    ['keda', 'ScaledObject/eval-worker', 'spec.fallbak', { replicas: 2 }, 'no field spec.fallbak'],
    ['keda', 'ScaledObject/eval-worker', 'spec.triggers.0.metadata.targetValue', 64, 'targetValue'],
    ['keda', 'ScaledObject/eval-worker', 'spec.scaleTargetRef.name', undefined, 'name'],
    ['gateway-api', 'HTTPRoute/edge', 'spec.rules.0.timeouts.idle', '0s', 'no field spec.rules.0.timeouts.idle'],
    ['gateway-api', 'HTTPRoute/edge', 'spec.rules.0.timeouts.request', 'never', 'request'],
    ['monitoring', 'PodMonitor/ratchet', 'spec.podMetricsEndpoints.0.paht', '/', 'no field spec.podMetricsEndpoints'],
    ['external-secrets', 'ExternalSecret/ratchet-keys', 'spec.data.0.secretkey', 'a', 'no field spec.data.0.secretkey'],
  ])('does not pass %s: %s with %s = %j', async (overlay, target, at, value, problem) => {
    const objects = setField(objectsOf(`overlays/${overlay}`), target, at, value)

    expect((await Promise.all(objects.map(schemaProblems))).flat().join('\n')).toContain(problem)
  })
})

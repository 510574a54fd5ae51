import path from 'node:path'
import { schemaProblems } from '../check-schema.ts'
import type { KubeObject } from '../kube-object.ts'
import { findRenderer, manifestsFolder } from '../render.ts'
import { setField } from '../set-field.fixture.ts'
import { policies } from './all-policies.ts'

/* Every policy is broken on purpose: a policy that no change can break would check nothing. */
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
    ['Deployment/edge', `${pod}.hostNetwork`, true, 'edge shares a namespace of its node'],
    ['Deployment/edge', `${pod}.volumes.0`, { name: 'tmp', hostPath: { path: '/tmp' } }, 'a hostPath volume'],
    ['Deployment/edge', `${pod}.securityContext.runAsNonRoot`, undefined, 'may run as root'],
    ['Deployment/edge', `${security}.runAsUser`, 0, 'does not set runAsUser'],
    ['Deployment/edge', `${pod}.securityContext.seccompProfile.type`, 'Unconfined', 'no seccomp profile'],
    ['Deployment/edge', `${security}.allowPrivilegeEscalation`, undefined, 'may gain privileges'],
    ['Deployment/edge', `${security}.privileged`, true, 'may gain privileges'],
    ['Deployment/edge', `${security}.capabilities`, { drop: ['NET_RAW'] }, 'does not drop all capabilities'],
    [
      'Deployment/edge',
      `${security}.capabilities`,
      { drop: ['ALL'], add: ['SYS_ADMIN'] },
      'does not drop all capabilities',
    ],
    ['Deployment/edge', `${security}.readOnlyRootFilesystem`, false, 'may write its root filesystem'],
    ['Deployment/edge', `${container}.ports.0.hostPort`, 80, 'uses a hostPort'],
    [
      'Deployment/edge',
      `${pod}.initContainers`,
      [{ name: 'fix', image: 'a:1' }],
      'edge/fix does not drop all capabilities',
    ],
    ['Job/migrate', `${security}.readOnlyRootFilesystem`, undefined, 'migrate/service may write'],
  ],
  workloads: [
    ['Deployment/edge', `${container}.image`, 'ratchet/edge:latest', 'not pinned to a tag or digest'],
    ['Deployment/edge', `${container}.image`, 'registry:5000/ratchet/edge', 'not pinned to a tag or digest'],
    ['Deployment/edge', `${container}.image`, 'ratchet/edge:0.1.0', 'names no registry'],
    ['Deployment/edge', `${container}.image`, 'edge:0.1.0', 'names no registry'],
    ['Job/migrate', `${container}.image`, `ratchet/db@sha256:${'0a'.repeat(32)}`, 'names no registry'],
    ['Deployment/alias', `${container}.resources.requests.cpu`, undefined, 'alias/service requests no CPU'],
    ['Deployment/alias', `${container}.resources.requests.memory`, undefined, 'requests no memory'],
    ['Deployment/alias', `${container}.resources.limits.memory`, '2Gi', 'memory request that differs'],
    ['Deployment/inference', `${container}.resources.limits.cpu`, '2', 'inference/service has a CPU limit'],
    ['Deployment/eval', `${container}.startupProbe`, undefined, 'no startup probe'],
    ['Deployment/eval', `${container}.readinessProbe`, undefined, 'no readiness probe'],
    ['Deployment/eval', `${container}.livenessProbe`, undefined, 'no liveness probe'],
    ['Deployment/eval', `${container}.livenessProbe.httpGet.port`, 'metrics', 'uses port metrics'],
    ['Deployment/eval', 'spec.strategy.rollingUpdate.maxUnavailable', 1, 'a rollout of eval can reduce'],
    ['Deployment/eval', 'spec.selector.matchLabels', { app: 'eval' }, 'does not select its own pods'],
    ['Deployment/eval', `${pod}.topologySpreadConstraints.0.labelSelector.matchLabels`, { a: 'b' }, 'is not spread'],
    ['Deployment/eval', `${pod}.topologySpreadConstraints.1.matchLabelKeys`, ['app'], 'is not spread'],
    [
      'Job/migrate',
      `${container}.envFrom`,
      [{ configMapRef: { name: 'a-5bdd46h8ch' } }],
      'job migrate depends on a-5b',
    ],
  ],
  lifecycle: [
    [
      'Deployment/edge',
      `${pod}.terminationGracePeriodSeconds`,
      634,
      'has a grace period of 634 s but needs up to 635 s',
    ],
    ['Deployment/edge', `${container}.lifecycle`, undefined, 'stops while traffic is still routed to it'],
    [
      'Deployment/edge',
      `${container}.lifecycle.preStop`,
      { exec: { command: ['sleep', '5'] } },
      'its image has no shell',
    ],
    [
      'Deployment/judging-worker',
      `${pod}.terminationGracePeriodSeconds`,
      600,
      'judging-worker has a grace period of 600 s',
    ],
    ['Deployment/edge', `${container}.env.0`, { name: 'NODE_OPTIONS', value: '' }, 'edge does not limit its heap'],
    ['Deployment/edge', `${container}.livenessProbe.httpGet.path`, '/readyz', 'has no probe of /livez'],
    ['Deployment/edge', `${container}.readinessProbe.httpGet.port`, 'http', 'has no probe of /readyz'],
  ],
  references: [
    ['Deployment/edge', `${container}.envFrom.0.configMapRef.name`, 'settings', 'references missing settings'],
    [
      'Deployment/edge',
      `${container}.env.0.valueFrom.secretKeyRef.key`,
      'URL',
      'references missing ratchet-stores/URL',
    ],
    [
      'Deployment/inference',
      `${container}.envFrom.2.secretRef.optional`,
      false,
      'references missing ratchet-providers',
    ],
    ['Deployment/edge', `${container}.volumeMounts.0.name`, 'temp', 'mounts volume temp'],
    ['Deployment/edge', `${pod}.serviceAccountName`, 'edgy', 'uses service account edgy'],
    ['Service/edge', 'spec.selector', { 'app.kubernetes.io/name': 'edgy' }, 'selects 0 workloads'],
    ['Service/edge', 'spec.selector', { 'app.kubernetes.io/component': 'api' }, 'selects 9 workloads'],
    ['Service/edge', 'spec.ports.0.targetPort', 8081, 'sends to port 8081'],
    ['PodDisruptionBudget/edge', 'spec.selector.matchLabels', { a: 'b' }, 'edge needs exactly one disruption budget'],
    ['PodDisruptionBudget/edge', 'spec.maxUnavailable', 0, 'edge needs exactly one disruption budget'],
    [
      'PodDisruptionBudget/edge',
      'spec.unhealthyPodEvictionPolicy',
      undefined,
      'edge needs exactly one disruption budget',
    ],
  ],
  placement: [
    ['Service/edge', 'metadata.namespace', undefined, 'Service edge is in no namespace'],
    ['Service/edge', 'metadata.namespace', 'default', 'Service edge is in default'],
    ['Service/edge', 'metadata.name', 'eval', 'Service eval is defined twice'],
  ],
  scaling: [
    ['Deployment/edge', 'spec.replicas', 3, 'edge sets replicas'],
    ['HorizontalPodAutoscaler/edge', 'spec.scaleTargetRef.name', 'alias', 'both scale alias'],
    ['HorizontalPodAutoscaler/edge', 'spec.scaleTargetRef.name', 'edgy', 'edgy, which is not a Deployment'],
  ],
  network: [
    ['NetworkPolicy/default-deny', 'spec.policyTypes', ['Ingress'], 'no NetworkPolicy denies all traffic by default'],
    [
      'NetworkPolicy/default-deny',
      'spec.podSelector',
      { matchLabels: { a: 'b' } },
      'no NetworkPolicy denies all traffic by default',
    ],
    ['NetworkPolicy/dns', 'spec.egress.0.ports', [{ protocol: 'TCP', port: 5353 }], 'edge cannot resolve names'],
    ['NetworkPolicy/edge', 'spec.ingress', [], 'clients cannot reach the edge'],
    ['NetworkPolicy/edge', 'spec.ingress', [{}], 'the metrics of the edge are public'],
    ['NetworkPolicy/edge', 'spec.egress.0.ports.0.port', 9090, 'edge cannot reach inference:8081'],
    ['NetworkPolicy/logging', 'spec.egress', [], 'logging cannot reach judging:8084'],
    ['NetworkPolicy/logging', 'spec.egress.0', { to: [{ podSelector: {} }] }, 'logging may connect to edge:8080'],
    ['NetworkPolicy/inference', 'spec.ingress.0.from', [], 'inference:8081 accepts connections from logging'],
    ['NetworkPolicy/inference', 'spec.ingress.0.ports', [], 'inference:9090 accepts connections from edge'],
    [
      'NetworkPolicy/to-postgres',
      'spec.podSelector.matchExpressions.0.values',
      ['edge'],
      'egress of alias to Postgres outside',
    ],
    ['NetworkPolicy/to-redis', 'spec.podSelector', {}, 'egress of edge to Redis outside'],
    ['NetworkPolicy/to-outside', 'spec.podSelector', {}, 'edge must not be able to reach 8.8.8.8'],
    ['NetworkPolicy/to-outside', 'spec.egress.0.to.0.ipBlock.except', ['10.0.0.0/8'], 'may reach 169.254.169.254'],
    ['NetworkPolicy/to-outside', 'spec.egress.0.to.1', { ipBlock: { cidr: '::/0' } }, 'may reach fd00:ec2::254'],
    [
      'NetworkPolicy/to-outside',
      'spec.egress.0.to.1',
      { ipBlock: { cidr: '2000::/3' } },
      'inference may reach 2606:4700::1111, over IPv6',
    ],
  ],
  parity: [
    ['Deployment/edge', 'metadata.name', 'endpoint', 'edge is in the service list but not in the manifests'],
    ['Deployment/edge', `${container}.image`, 'ratchet/alias:1', 'edge uses the wrong image ratchet/alias'],
    ['Deployment/eval-worker', `${container}.args`, undefined, 'eval-worker starts with'],
    ['Deployment/eval-worker', `${container}.args`, ['./service/src/worker.ts'], 'eval-worker starts with ./service'],
    ['Deployment/edge', `${container}.ports.0.containerPort`, 80, 'edge does not listen on 8080'],
    ['Deployment/edge', `${container}.ports`, [{ name: 'http', containerPort: 8080 }], 'edge does not listen on 8080'],
    ['Service/alias', 'spec.ports.0.port', 80, 'service alias has ports [80], expected [8088]'],
    ['Deployment/edge', `${container}.env.0.name`, 'DATABASE', 'edge does not read DATABASE'],
    ['Deployment/edge', `${container}.env.0.name`, 'DATABASE', 'edge lacks the variable DATABASE_URL'],
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
      'DATABASE_URL as plain text',
    ],
    [
      'Deployment/alias',
      `${container}.env.1.valueFrom.secretKeyRef.key`,
      'IDENTITY_MASTER_KEYS',
      'reads IDENTITY_KEYS from the wrong secret key IDENTITY_MASTER_KEYS',
    ],
  ],
}

onceRendered.each(Object.entries(changes))('the policies of %s', (name, table) => {
  it('accept the unchanged manifests', () => {
    expect(policies[name]?.(objectsOf('base'))).toEqual([])
  })

  it.each(table)('reject %s with %s = %j', (target, at, value, problem) => {
    const objects = objectsOf('base')

    const problems = policies[name]?.(setField(objects, target, at, value)) ?? []

    expect(problems.join('\n')).toContain(problem)
  })
})

onceRendered('the policies of overlays', () => {
  it.each([
    `registry.example.com:5000/ratchet/edge@sha256:${'0a'.repeat(32)}`,
    `localhost/ratchet/edge:1.2.3@sha256:${'0a'.repeat(32)}`,
    'registry.example.com:5000/ratchet/edge:1.2.3-rc.1',
  ])('accept a pinned image: %s', (image) => {
    const objects = setField(objectsOf('base'), 'Deployment/edge', `${container}.image`, image)

    expect([...(policies.workloads?.(objects) ?? []), ...(policies.parity?.(objects) ?? [])]).toEqual([])
  })

  it('report an autoscaler and KEDA on the same workload', () => {
    const objects = objectsOf('overlays/keda')
    const broken = setField(objects, 'HorizontalPodAutoscaler/edge', 'spec.scaleTargetRef.name', 'eval-worker')

    expect(policies.scaling?.(broken)).toEqual(['autoscaler edge and scaled object eval-worker both scale eval-worker'])
  })

  it('report a secret key that no ExternalSecret creates', () => {
    const objects = objectsOf('overlays/external-secrets')
    const broken = setField(objects, 'ExternalSecret/ratchet-stores', 'spec.data.0.secretKey', 'POSTGRES_URL')

    expect(policies.references?.(broken)?.join('\n')).toContain(
      'edge/service references missing ratchet-stores/DATABASE_URL',
    )
  })

  it('open IPv6 for the callers of the outside only, without the addresses of the cluster', () => {
    const objects = objectsOf('overlays/ipv6-egress')
    const policy = 'NetworkPolicy/to-outside-ipv6'
    const anyPod = setField(objects, policy, 'spec.podSelector', {})
    const own = setField(objects, policy, 'spec.egress.0.to.0.ipBlock.except', ['2001:db9::/32'])

    expect(policies.network?.(objects)).toEqual([])
    expect(policies.network?.(anyPod)).toContain('edge must not be able to reach 2606:4700::1111')
    expect(policies.network?.(own).join('\n')).toContain("the cluster's own addresses")
  })

  it('open the listener for the dashboard to it alone, and let only the edge reach the dashboard', () => {
    const objects = objectsOf('base')
    const open = setField(objects, 'NetworkPolicy/edge', 'spec.ingress.1.from', [{ podSelector: {} }])
    const widened = setField(objects, 'NetworkPolicy/dashboard', 'spec.ingress.0.from', [{ podSelector: {} }])
    const published = setField(objects, 'Service/edge', 'spec.ports.1', { name: 'session', port: 8092 })

    expect(policies.network?.(open)).toContain('edge:8092 accepts connections from alias')
    expect(policies.network?.(widened)).toContain('dashboard:3000 accepts connections from alias')
    expect(policies.parity?.(published)).toContain('service edge has ports [8080,8092], expected [8080]')
  })

  it('check who may reach the stores and the provider inside the namespace', () => {
    const objects = objectsOf('overlays/dev')
    const unrelatedNamespace = setField(objects, 'NetworkPolicy/to-simulated-provider', 'spec.podSelector', {})
    const open = setField(objects, 'NetworkPolicy/simulated-provider', 'spec.ingress', [{}])
    const closed = setField(objects, 'NetworkPolicy/redis', 'spec.ingress', [])

    expect(policies.network?.(unrelatedNamespace)).toContain('edge may connect to simulated-provider:8089')
    expect(policies.network?.(open)).toContain('simulated-provider:8089 accepts connections from edge')
    expect(policies.network?.(closed)).toContain('inference cannot reach redis:6379')
  })
})

onceRendered('the policy of other namespaces', () => {
  it.each(['monitoring', 'keda'])('accepts the overlay %s', (overlay) => {
    expect(policies.otherNamespaces?.(objectsOf(`overlays/${overlay}`))).toEqual([])
  })

  const scrapes = 'spec.ingress.0'
  const traces = 'spec.egress.0'
  const admin = 'PodMonitor/ratchet'

  it.each<readonly [overlay: string, ...Change]>([
    [
      'base',
      'NetworkPolicy/alias',
      'spec.ingress.0.from',
      [{ namespaceSelector: {} }],
      'alias:8088 accepts connections from namespace default',
    ],
    [
      'base',
      'NetworkPolicy/edge',
      'spec.egress',
      [{ ports: [{ port: 4318 }] }],
      'edge may connect to http://otel-coll',
    ],
    ['monitoring', 'NetworkPolicy/monitoring', 'spec.ingress', [], 'monitoring cannot reach edge:9090'],
    ['monitoring', 'NetworkPolicy/monitoring', `${scrapes}.ports.0.port`, 9090, 'cannot reach judging-worker:8085'],
    [
      'monitoring',
      'NetworkPolicy/monitoring',
      `${scrapes}.ports`,
      [],
      'inference:8081 accepts connections from namespace monitoring',
    ],
    [
      'monitoring',
      'NetworkPolicy/monitoring',
      scrapes,
      { ports: [{ port: 'admin' }] },
      'edge:9090 accepts connections from namespace default',
    ],
    ['monitoring', admin, 'spec.selector', { matchLabels: { a: 'b' } }, 'edge is not scraped'],
    ['monitoring', admin, 'spec.podMetricsEndpoints.0.port', 'http', 'judging-worker is not scraped'],
    ['monitoring', 'NetworkPolicy/monitoring', 'spec.egress', [], 'edge cannot reach http://otel-collector'],
    ['monitoring', 'NetworkPolicy/monitoring', `${traces}.ports.0.port`, 4317, 'alias cannot reach http://otel'],
    ['keda', 'NetworkPolicy/from-keda', 'spec.ingress', [], 'keda cannot reach judging:9090'],
    ['keda', 'NetworkPolicy/from-keda', 'spec.ingress.0.ports.0.port', 8086, 'keda cannot reach eval:9090'],
    ['keda', 'NetworkPolicy/from-keda', 'spec.podSelector', {}, 'alias:9090 accepts connections from namespace keda'],
    [
      'keda',
      'NetworkPolicy/from-keda',
      'spec.ingress.0.from',
      [],
      'judging:9090 accepts connections from namespace default',
    ],
    [
      'keda',
      'Service/eval-admin',
      'spec.ports.0.port',
      9091,
      'http://eval-admin.ratchet.svc:9090/metrics is not a port',
    ],
    [
      'keda',
      'Service/eval-admin',
      'metadata.namespace',
      'default',
      'eval-admin.ratchet.svc:9090/metrics is not a port',
    ],
    ['keda', 'Service/eval-admin', 'spec.ports.0.targetPort', 'http', 'keda cannot reach eval:8086'],
  ])('rejects %s: %s with %s = %j', (overlay, target, at, value, problem) => {
    const objects = setField(objectsOf(`${overlay === 'base' ? '' : 'overlays/'}${overlay}`), target, at, value)

    expect(policies.otherNamespaces?.(objects).join('\n')).toContain(problem)
  })

  it('reports a process that may reach a collector which its settings do not name', () => {
    const objects = objectsOf('overlays/monitoring')
    const silent = objects.filter(({ kind }) => kind !== 'ConfigMap')

    expect(policies.otherNamespaces?.(silent).join('\n')).toContain('edge may connect to http://otel-collector')
  })
})

onceRendered('the check of schemas', () => {
  it.each([
    ['keda', 'Deployment/edge', `${container}.resorces`, {}, 'unknown field spec.template.spec.containers.0.resorces'],
    ['keda', 'Deployment/edge', 'spec.replicas', 'two', 'spec/replicas'],
    ['keda', 'Deployment/edge', 'apiVersion', 'apps/v2', 'there is no schema for apps/v2 Deployment'],
    ['keda', 'Deployment/edge', 'spec.selector', undefined, 'selector'],
    ['keda', 'ScaledObject/eval-worker', 'spec.fallbak', { replicas: 2 }, 'unknown field spec.fallbak'],
    ['keda', 'ScaledObject/eval-worker', 'spec.triggers.0.metadata.targetValue', 64, 'targetValue'],
    ['keda', 'ScaledObject/eval-worker', 'spec.scaleTargetRef.name', undefined, 'name'],
    ['gateway-api', 'HTTPRoute/edge', 'spec.rules.0.timeouts.idle', '0s', 'unknown field spec.rules.0.timeouts.idle'],
    ['gateway-api', 'HTTPRoute/edge', 'spec.rules.0.timeouts.request', 'never', 'request'],
    [
      'monitoring',
      'PodMonitor/ratchet',
      'spec.podMetricsEndpoints.0.paht',
      '/',
      'unknown field spec.podMetricsEndpoints',
    ],
    [
      'external-secrets',
      'ExternalSecret/ratchet-keys',
      'spec.data.0.secretkey',
      'a',
      'unknown field spec.data.0.secretkey',
    ],
  ])('rejects %s: %s with %s = %j', async (overlay, target, at, value, problem) => {
    const objects = setField(objectsOf(`overlays/${overlay}`), target, at, value)

    expect((await Promise.all(objects.map(schemaProblems))).flat().join('\n')).toContain(problem)
  })
})

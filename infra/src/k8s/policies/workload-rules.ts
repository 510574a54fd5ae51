import { containersOf, type KubeObject, ofKind, selects, type Workload, workloads } from '../kube-object.ts'

type Container = ReturnType<typeof containersOf>[number]

/** Checks image versions, resources, probes, and that rollouts keep enough pods available. */
export function workloadProblems(objects: readonly KubeObject[]): readonly string[] {
  return [
    ...workloads(objects).flatMap((workload) =>
      containersOf(workload).flatMap((container) => [
        ...imageProblems(container),
        ...resourceProblems(container),
        ...(['Deployment', 'StatefulSet'].includes(workload.kind) ? probeProblems(container) : []),
      ]),
    ),
    ...ofKind(objects, 'Deployment').flatMap(rolloutProblems),
    ...fleetOf(objects).flatMap(spreadProblems),
    ...migrationProblems(objects),
  ]
}

/** The Deployments of the product, without the simulated provider. */
export function fleetOf(objects: readonly KubeObject[]): readonly Workload[] {
  const components = ['api', 'worker']
  return workloads(objects).filter(({ labels }) => components.includes(labels['app.kubernetes.io/component'] ?? ''))
}

/** Without a registry, an image is one of Docker Hub, where anyone may own the name. */
export function namesRegistry(image: string): boolean {
  const [registry = '', ...name] = image.split('/')
  return name.length > 0 && (/[.:]/.test(registry) || registry === 'localhost')
}

function imageProblems({ where, image = '' }: Container): string[] {
  const isPinned = /@sha256:[0-9a-f]{64}$/.test(image) || /:(?!latest$)[\w][\w.-]*$/.test(image)
  return [
    ...(isPinned ? [] : [`${where} uses image ${image}, which is not pinned to a tag or digest`]),
    ...(namesRegistry(image) ? [] : [`${where} uses image ${image}, which names no registry`]),
  ]
}

function resourceProblems({ where, resources = {} }: Container): string[] {
  const { requests = {}, limits = {} } = resources
  return [
    ...(requests.cpu === undefined ? [`${where} requests no CPU`] : []),
    ...(requests.memory === undefined ? [`${where} requests no memory`] : []),
    ...(requests.memory === limits.memory ? [] : [`${where} has a memory request that differs from its limit`]),
    ...(/^(edge|inference)\//.test(where) && limits.cpu !== undefined ? [`${where} has a CPU limit`] : []),
  ]
}

function probeProblems({ where, startupProbe, readinessProbe, livenessProbe, ports = [] }: Container): string[] {
  const probes = { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe }
  return Object.entries(probes).flatMap(([name, probe]) => {
    if (probe === undefined) return [`${where} has no ${name} probe`]
    const port = probe.httpGet?.port ?? probe.tcpSocket?.port
    const portExists = port === undefined || ports.some((known) => known.name === port || known.containerPort === port)
    return portExists ? [] : [`the ${name} probe of ${where} uses port ${port}, which the container does not expose`]
  })
}

function rolloutProblems({ metadata, spec }: ReturnType<typeof ofKind<'Deployment'>>[number]): string[] {
  const labels = spec?.template.metadata?.labels ?? {}
  const { maxSurge, maxUnavailable } = spec?.strategy?.rollingUpdate ?? {}
  const isGapless = (maxSurge === 1 && maxUnavailable === 0) || labels['app.kubernetes.io/component'] === 'simulated'
  return [
    ...(isGapless ? [] : [`a rollout of ${metadata.name} can reduce the number of available pods`]),
    ...(selects(spec?.selector ?? {}, labels) ? [] : [`${metadata.name} does not select its own pods`]),
  ]
}

function spreadProblems({ name, labels, pod }: Workload): string[] {
  const spread = pod.topologySpreadConstraints ?? []
  return ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].flatMap((topologyKey) => {
    const found = spread.find((constraint) => constraint.topologyKey === topologyKey)
    const counts = found !== undefined && selects(found.labelSelector ?? {}, labels)
    const keys = found?.matchLabelKeys ?? []
    return counts && keys.every((key) => key === 'pod-template-hash' || key in labels)
      ? []
      : [`${name} is not spread over ${topologyKey}`]
  })
}

/** A Job is immutable, so it must not reference anything that changes without a release. */
function migrationProblems(objects: readonly KubeObject[]): string[] {
  const generated = /-[0-9a-z]{10}$/
  return workloads(objects).flatMap((workload) => {
    if (workload.kind !== 'Job') return []
    const names = containersOf(workload).flatMap(({ env = [], envFrom = [] }) => [
      ...env.flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef?.name ?? []),
      ...envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
    ])
    return names
      .filter((name) => generated.test(name))
      .map((name) => `job ${workload.name} depends on ${name}, which changes between releases`)
  })
}

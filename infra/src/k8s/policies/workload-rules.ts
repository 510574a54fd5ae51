import { containersOf, type KubeObject, ofKind, selects, type Workload, workloads } from '../kube-object.ts'

type Container = ReturnType<typeof containersOf>[number]

/** Images with a version, what each container needs and may have, probes, and rollouts that leave no gap. */
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

/** The Deployments of the product itself, the simulated provider apart. */
export function fleetOf(objects: readonly KubeObject[]): readonly Workload[] {
  const components = ['api', 'worker']
  return workloads(objects).filter(({ labels }) => components.includes(labels['app.kubernetes.io/component'] ?? ''))
}

function imageProblems({ where, image = '' }: Container): string[] {
  const isPinned = /@sha256:[0-9a-f]{64}$/.test(image) || /:(?!latest$)[\w][\w.-]*$/.test(image)
  return isPinned ? [] : [`${where} runs ${image}, whatever that is at the time`]
}

function resourceProblems({ where, resources = {} }: Container): string[] {
  const { requests = {}, limits = {} } = resources
  return [
    ...(requests.cpu === undefined ? [`${where} requests no CPU`] : []),
    ...(requests.memory === undefined ? [`${where} requests no memory`] : []),
    ...(requests.memory === limits.memory ? [] : [`${where} requests other memory than it may use`]),
    ...(/^(edge|inference)\//.test(where) && limits.cpu !== undefined ? [`${where} is throttled`] : []),
  ]
}

function probeProblems({ where, startupProbe, readinessProbe, livenessProbe, ports = [] }: Container): string[] {
  const probes = { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe }
  return Object.entries(probes).flatMap(([name, probe]) => {
    if (probe === undefined) return [`${where} has no ${name} probe`]
    const port = probe.httpGet?.port ?? probe.tcpSocket?.port
    const isThere = port === undefined || ports.some((known) => known.name === port || known.containerPort === port)
    return isThere ? [] : [`the ${name} probe of ${where} asks port ${port}, which it does not have`]
  })
}

function rolloutProblems({ metadata, spec }: ReturnType<typeof ofKind<'Deployment'>>[number]): string[] {
  const labels = spec?.template.metadata?.labels ?? {}
  const { maxSurge, maxUnavailable } = spec?.strategy?.rollingUpdate ?? {}
  const isGapless = (maxSurge === 1 && maxUnavailable === 0) || labels['app.kubernetes.io/component'] === 'simulated'
  return [
    ...(isGapless ? [] : [`a rollout of ${metadata.name} leaves a gap`]),
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

/** A Job cannot be changed, so it must not hold what changes without a release. */
function migrationProblems(objects: readonly KubeObject[]): string[] {
  const generated = /-[0-9a-z]{10}$/
  return workloads(objects).flatMap((workload) => {
    if (workload.kind !== 'Job') return []
    const names = containersOf(workload).flatMap(({ env = [], envFrom = [] }) => [
      ...env.flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef?.name ?? []),
      ...envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
    ])
    return names.filter((name) => generated.test(name)).map((name) => `job ${workload.name} changes with ${name}`)
  })
}

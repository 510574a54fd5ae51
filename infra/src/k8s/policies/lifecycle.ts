import { environmentOf } from '../environment.ts'
import type { KubeObject, Workload } from '../kube-object.ts'
import { fleetOf } from './workload-rules.ts'

/** Seconds that a process needs after its drain to end streams, flush data and close connections. */
const afterDrainSeconds = 20

/** Checks that the kubelet waits long enough for everything a process does when it stops. */
export function lifecycleProblems(objects: readonly KubeObject[]): readonly string[] {
  return fleetOf(objects).flatMap((workload) => [
    ...graceProblems(workload, objects),
    ...heapProblems(workload, objects),
    ...probePathProblems(workload),
  ])
}

function graceProblems({ name, labels, pod }: Workload, objects: readonly KubeObject[]): string[] {
  const env = environmentOf(pod, objects)
  const seconds = (variable: string) => Number(env.get(variable)?.value) / 1_000
  const preStop = pod.containers[0]?.lifecycle?.preStop
  const preStopSeconds = preStop?.sleep?.seconds ?? 0
  const needed = preStopSeconds + seconds('DRAIN_DELAY_MS') + seconds('DRAIN_TIMEOUT_MS') + afterDrainSeconds
  const given = pod.terminationGracePeriodSeconds ?? 30
  return [
    ...(given >= needed ? [] : [`${name} has a grace period of ${given} s but needs up to ${needed} s to stop`]),
    ...(preStop?.exec === undefined ? [] : [`${name} uses a preStop command, but its image has no shell`]),
    ...(labels['app.kubernetes.io/component'] === 'api' && preStopSeconds === 0
      ? [`${name} stops while traffic is still routed to it`]
      : []),
  ]
}

function heapProblems({ name, pod }: Workload, objects: readonly KubeObject[]): string[] {
  const options = environmentOf(pod, objects).get('NODE_OPTIONS')?.value ?? ''
  const percent = Number(/--max-old-space-size-percentage=(\d+)/.exec(options)?.[1])
  return percent >= 70 && percent <= 80 ? [] : [`${name} does not limit its heap to 70-80 % of its memory`]
}

/** Liveness must not depend on other services, and no probe uses the port of callers. */
function probePathProblems({ name, pod }: Workload): string[] {
  const { startupProbe, readinessProbe, livenessProbe } = pod.containers[0] ?? {}
  const probes = { '/startupz': startupProbe, '/readyz': readinessProbe, '/livez': livenessProbe }
  return Object.entries(probes).flatMap(([path, probe]) =>
    probe?.httpGet?.path === path && probe.httpGet.port === 'admin'
      ? []
      : [`${name} has no probe of ${path} on the admin port`],
  )
}

import { environmentOf } from '../environment.ts'
import type { KubeObject, Workload } from '../kube-object.ts'
import { fleetOf } from './workload-rules.ts'

/** Seconds that a process gives itself after its drain: last words of streams, flushes, connections that close. */
const afterDrainSeconds = 20

/** Whoever is told to stop gets the time to: what the kubelet waits for covers everything that a process does then. */
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
    ...(given >= needed ? [] : [`${name} gets ${given} s to stop and may take ${needed} s`]),
    ...(preStop?.exec === undefined ? [] : [`${name} has no shell for its preStop`]),
    ...(labels['app.kubernetes.io/component'] === 'api' && preStopSeconds === 0
      ? [`${name} stops while it is sent to`]
      : []),
  ]
}

function heapProblems({ name, pod }: Workload, objects: readonly KubeObject[]): string[] {
  const options = environmentOf(pod, objects).get('NODE_OPTIONS')?.value ?? ''
  const percent = Number(/--max-old-space-size-percentage=(\d+)/.exec(options)?.[1])
  return percent >= 70 && percent <= 80 ? [] : [`the heap of ${name} is not held to three quarters of its memory`]
}

/** Life never asks a dependency, and none of them is asked on the port of callers. */
function probePathProblems({ name, pod }: Workload): string[] {
  const { startupProbe, readinessProbe, livenessProbe } = pod.containers[0] ?? {}
  const probes = { '/startupz': startupProbe, '/readyz': readinessProbe, '/livez': livenessProbe }
  return Object.entries(probes).flatMap(([path, probe]) =>
    probe?.httpGet?.path === path && probe.httpGet.port === 'admin'
      ? []
      : [`${name} is not asked for ${path} on admin`],
  )
}

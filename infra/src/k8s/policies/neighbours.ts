import { environmentOf } from '../environment.ts'
import { type KubeObject, ofKind, selects, type Workload } from '../kube-object.ts'
import { type Far, mayEnter, mayLeave } from '../network-reach.ts'
import { publicDoor } from './network.ts'
import { fleetOf } from './workload-rules.ts'

/** Where Prometheus and the collector run, where KEDA does, and one of everybody else's. */
const [observing, scaling, stranger] = ['monitoring', 'keda', 'default']
/** The collector that nobody may speak to who was not told of it. */
const usualCollector = 'http://otel-collector.monitoring.svc:4318'

/** What runs in other namespaces reaches the fleet, and is reached, where a component asks for it and nowhere else. */
export function neighbourProblems(objects: readonly KubeObject[]): readonly string[] {
  const scalers = scalerDoors(objects)
  return [
    ...scalers.flatMap(({ url, door }) => (door === null ? [`${url} leads to no port of the fleet`] : [])),
    ...fleetOf(objects).flatMap((workload) => [
      ...scrapeProblems(workload, objects),
      ...enterProblems(workload, { namespace: observing, wanted: scrapedDoors(workload, objects), objects }),
      ...enterProblems(workload, { namespace: scaling, wanted: scalers.map(({ door }) => door), objects }),
      ...enterProblems(workload, { namespace: stranger, wanted: [], objects }),
      ...traceProblems(workload, objects),
    ]),
  ]
}

const portsOf = ({ pod }: Workload) => pod.containers.flatMap(({ ports = [] }) => ports)
const doorOf = ({ name }: Workload, port: number) => `${name}:${port}`

/** Where there is a monitor at all, it looks at every process. */
function scrapeProblems(workload: Workload, objects: readonly KubeObject[]): string[] {
  const isMonitored = ofKind(objects, 'PodMonitor').length > 0
  return isMonitored && scrapedDoors(workload, objects).length === 0 ? [`nobody scrapes ${workload.name}`] : []
}

function scrapedDoors(workload: Workload, objects: readonly KubeObject[]): readonly string[] {
  const monitors = ofKind(objects, 'PodMonitor').filter(({ spec }) => selects(spec?.selector ?? {}, workload.labels))
  const names = new Set(monitors.flatMap(({ spec }) => spec?.podMetricsEndpoints ?? []).map(({ port }) => port))
  return portsOf(workload).flatMap(({ name, containerPort }) =>
    names.has(name) ? [doorOf(workload, containerPort)] : [],
  )
}

/** The ports behind the addresses that scalers ask; null for an address that leads nowhere. */
function scalerDoors(objects: readonly KubeObject[]) {
  const triggers = ofKind(objects, 'ScaledObject').flatMap(({ spec }) => spec?.triggers ?? [])
  const urls = triggers.flatMap(({ metadata: { url } }) => (url === undefined ? [] : [url]))
  return urls.map((url) => ({ url, door: doorBehind(new URL(url), objects) }))
}

function doorBehind({ hostname, port }: URL, objects: readonly KubeObject[]): string | null {
  const service = ofKind(objects, 'Service').find(
    ({ metadata: { name, namespace } }) => hostname === `${name}.${namespace}.svc`,
  )
  const target = service?.spec?.ports?.find((each) => each.port === Number(port))?.targetPort
  const workload = fleetOf(objects).find(({ labels }) =>
    selects({ matchLabels: service?.spec?.selector ?? {} }, labels),
  )
  if (service === undefined || workload === undefined) return null
  const found = portsOf(workload).find(({ name, containerPort }) => target === name || target === containerPort)
  return found === undefined ? null : doorOf(workload, found.containerPort)
}

interface Entering {
  readonly namespace: string
  readonly wanted: readonly (string | null)[]
  readonly objects: readonly KubeObject[]
}

function enterProblems(workload: Workload, { namespace, wanted, objects }: Entering): string[] {
  const from: Far = { kind: 'elsewhere', namespace, labels: {} }
  return portsOf(workload).flatMap(({ containerPort }) => {
    const door = doorOf(workload, containerPort)
    const enters = mayEnter(ofKind(objects, 'NetworkPolicy'), workload, from, containerPort)
    if (wanted.includes(door)) return enters ? [] : [`${namespace} cannot reach ${door}`]
    return enters && door !== publicDoor ? [`${door} lets ${namespace} in`] : []
  })
}

/** Traces leave for the collector that the environment names. */
function traceProblems({ name, labels, pod }: Workload, objects: readonly KubeObject[]): string[] {
  const endpoint = environmentOf(pod, objects).get('OTEL_EXPORTER_OTLP_ENDPOINT')?.value
  const { hostname, port } = new URL(endpoint ?? usualCollector)
  const to: Far = { kind: 'elsewhere', namespace: hostname.split('.')[1] ?? '', labels: {} }
  const leaves = mayLeave(ofKind(objects, 'NetworkPolicy'), labels, to, Number(port))
  if (endpoint !== undefined) return leaves ? [] : [`${name} cannot reach ${endpoint}`]
  return leaves ? [`${name} may leave for ${usualCollector}`] : []
}

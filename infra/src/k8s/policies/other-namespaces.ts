import { environmentOf } from '../environment.ts'
import { type KubeObject, ofKind, selects, type Workload } from '../kube-object.ts'
import { egressAllowed, ingressAllowed, type Peer } from '../network-reach.ts'
import { publicEndpoints } from './network.ts'
import { fleetOf } from './workload-rules.ts'

/** Namespaces of Prometheus and the collector, of KEDA, and one that has nothing to do with the fleet. */
const [monitoringNamespace, scaling, unrelatedNamespace] = ['monitoring', 'keda', 'default']
/** The default collector: a process may connect to it only when its settings name it. */
const defaultCollector = 'http://otel-collector.monitoring.svc:4318'

/** Checks that connections between the fleet and other namespaces are possible exactly where a component needs them. */
export function otherNamespaceProblems(objects: readonly KubeObject[]): readonly string[] {
  const scalers = scalerEndpoints(objects)
  return [
    ...scalers.flatMap(({ url, endpoint }) => (endpoint === null ? [`${url} is not a port of any workload`] : [])),
    ...fleetOf(objects).flatMap((workload) => [
      ...scrapeProblems(workload, objects),
      ...ingressProblems(workload, {
        namespace: monitoringNamespace,
        expected: scrapedEndpoints(workload, objects),
        objects,
      }),
      ...ingressProblems(workload, { namespace: scaling, expected: scalers.map(({ endpoint }) => endpoint), objects }),
      ...ingressProblems(workload, { namespace: unrelatedNamespace, expected: [], objects }),
      ...traceProblems(workload, objects),
    ]),
  ]
}

const portsOf = ({ pod }: Workload) => pod.containers.flatMap(({ ports = [] }) => ports)
const endpointOf = ({ name }: Workload, port: number) => `${name}:${port}`

/** If there is any PodMonitor, every process must be scraped. */
function scrapeProblems(workload: Workload, objects: readonly KubeObject[]): string[] {
  const isMonitored = ofKind(objects, 'PodMonitor').length > 0
  return isMonitored && scrapedEndpoints(workload, objects).length === 0
    ? [`${workload.name} is not scraped by any PodMonitor`]
    : []
}

function scrapedEndpoints(workload: Workload, objects: readonly KubeObject[]): readonly string[] {
  const monitors = ofKind(objects, 'PodMonitor').filter(({ spec }) => selects(spec?.selector ?? {}, workload.labels))
  const names = new Set(monitors.flatMap(({ spec }) => spec?.podMetricsEndpoints ?? []).map(({ port }) => port))
  return portsOf(workload).flatMap(({ name, containerPort }) =>
    names.has(name) ? [endpointOf(workload, containerPort)] : [],
  )
}

/** The ports behind the addresses that scalers query; null for an address without a port behind it. */
function scalerEndpoints(objects: readonly KubeObject[]) {
  const triggers = ofKind(objects, 'ScaledObject').flatMap(({ spec }) => spec?.triggers ?? [])
  const urls = triggers.flatMap(({ metadata: { url } }) => (url === undefined ? [] : [url]))
  return urls.map((url) => ({ url, endpoint: endpointBehind(new URL(url), objects) }))
}

function endpointBehind({ hostname, port }: URL, objects: readonly KubeObject[]): string | null {
  const service = ofKind(objects, 'Service').find(
    ({ metadata: { name, namespace } }) => hostname === `${name}.${namespace}.svc`,
  )
  const target = service?.spec?.ports?.find((each) => each.port === Number(port))?.targetPort
  const workload = fleetOf(objects).find(({ labels }) =>
    selects({ matchLabels: service?.spec?.selector ?? {} }, labels),
  )
  if (service === undefined || workload === undefined) return null
  const found = portsOf(workload).find(({ name, containerPort }) => target === name || target === containerPort)
  return found === undefined ? null : endpointOf(workload, found.containerPort)
}

interface IngressCheck {
  readonly namespace: string
  readonly expected: readonly (string | null)[]
  readonly objects: readonly KubeObject[]
}

function ingressProblems(workload: Workload, { namespace, expected, objects }: IngressCheck): string[] {
  const from: Peer = { kind: 'elsewhere', namespace, labels: {} }
  return portsOf(workload).flatMap(({ containerPort }) => {
    const endpoint = endpointOf(workload, containerPort)
    const enters = ingressAllowed(ofKind(objects, 'NetworkPolicy'), workload, from, containerPort)
    if (expected.includes(endpoint)) return enters ? [] : [`${namespace} cannot reach ${endpoint}`]
    return enters && !publicEndpoints.has(endpoint)
      ? [`${endpoint} accepts connections from namespace ${namespace}`]
      : []
  })
}

/** Checks that a process may connect to the collector of its settings, and to no other. */
function traceProblems({ name, labels, pod }: Workload, objects: readonly KubeObject[]): string[] {
  const endpoint = environmentOf(pod, objects).get('OTEL_EXPORTER_OTLP_ENDPOINT')?.value
  const { hostname, port } = new URL(endpoint ?? defaultCollector)
  const to: Peer = { kind: 'elsewhere', namespace: hostname.split('.')[1] ?? '', labels: {} }
  const leaves = egressAllowed(ofKind(objects, 'NetworkPolicy'), labels, to, Number(port))
  if (endpoint !== undefined) return leaves ? [] : [`${name} cannot reach ${endpoint}`]
  return leaves ? [`${name} may connect to ${defaultCollector}`] : []
}

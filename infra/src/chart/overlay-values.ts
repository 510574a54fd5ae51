import { isDeepStrictEqual } from 'node:util'
import { type KubeObject, ofKind, workloads } from '../k8s/kube-object.ts'
import { hashedData, stableName } from './config-map-names.ts'
import { parametersOf, readPlace } from './parameters.ts'
import { setValue, type Values, valueAt } from './values.ts'

/** The values with which the chart renders an overlay without components. */
export function overlayValues(base: readonly KubeObject[], overlay: readonly KubeObject[], defaults: Values): Values {
  const values: Values = {}
  const isMigration = ({ kind }: KubeObject) => kind === 'Job'
  const changed = new Map(overlay.map((object) => [isMigration(object) ? 'Job/migrate' : stableName(object), object]))
  const set = (at: readonly string[], value: unknown) => {
    if (!isDeepStrictEqual(valueAt(defaults, at), value)) setValue(values, at, value)
  }
  setImages(overlay, set)
  for (const object of base) {
    const other = changed.get(stableName(object))
    if (isMigration(object) && other !== undefined) set(['migrations', 'name'], other.metadata.name)
    if (object.kind === 'HorizontalPodAutoscaler') {
      set(['processes', object.metadata.name, 'autoscaling', 'enabled'], other !== undefined)
    }
    if (other === undefined) continue
    for (const { at, value } of parametersOf(object)) {
      const isPossible = readPlace(other, at.slice(0, -1)) !== undefined
      if (isPossible && valueAt(defaults, value) !== undefined) set(value, readPlace(other, at) ?? null)
    }
  }
  for (const [name, data] of hashedData(overlay)) {
    for (const [key, text] of Object.entries(data)) set(['configMaps', name, key], text)
  }
  if (ofPriorityClass(overlay)) set(['components', 'priority-class', 'enabled'], true)
  return values
}

const ofPriorityClass = (objects: readonly KubeObject[]) => objects.some(({ kind }) => kind === 'PriorityClass')

/** `registry/name:tag` or `registry/name@digest`. */
function setImages(objects: readonly KubeObject[], set: (at: readonly string[], value: unknown) => void): void {
  const names = new Set(
    [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')].map(({ metadata }) => metadata.name),
  )
  for (const { name, pod } of workloads(objects)) {
    const [, registry, image, tag, digest] =
      /^(.+)\/([^/:@]+)(?::([^@]+))?(?:@(.+))?$/.exec(pod.containers[0]?.image ?? '') ?? []
    if (!names.has(name) || registry === undefined || image === undefined) continue
    if (digest !== undefined) set(['images', 'digests', image], digest)
    else if (name === 'edge') set(['images', 'tag'], tag)
    if (name === 'edge') set(['images', 'registry'], registry)
  }
}

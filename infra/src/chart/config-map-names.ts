import { type KubeObject, ofKind } from '../k8s/kube-object.ts'
import type { Expression } from './template.ts'

/** The end of a name that kustomize makes from the data. */
const hash = /-[bcdfghkmt2456789]{10}$/

/** Data of the ConfigMaps whose names have a hash, by the name without it. */
export function hashedData(objects: readonly KubeObject[]): ReadonlyMap<string, Readonly<Record<string, string>>> {
  return new Map(
    ofKind(objects, 'ConfigMap').flatMap(({ metadata: { name }, data = {} }) =>
      hash.test(name) ? [[name.replace(hash, ''), data] as const] : [],
    ),
  )
}

/** Replaces names with a hash by expressions, and the data of those ConfigMaps. Other namespaces than `ratchet` are possible. */
export function withExpressions(object: KubeObject, hashed: ReadonlySet<string>): KubeObject {
  const replaced = replaceIn(object, hashed) as KubeObject
  const isNamespaced = object.metadata.namespace !== undefined
  const isHashed = object.kind === 'ConfigMap' && hash.test(object.metadata.name)
  const namespace = { $helm: '$.Release.Namespace | toJson' }
  return {
    ...replaced,
    ...(isHashed ? { data: { $helm: `include "ratchet.configMapData" ${called(object.metadata.name)}` } } : {}),
    metadata: {
      ...replaced.metadata,
      // Pods of the previous release read theirs until they end.
      ...(isHashed ? { annotations: { 'helm.sh/resource-policy': 'keep' } } : {}),
      ...(isNamespaced ? { namespace } : {}),
      ...(object.kind === 'Namespace' ? { name: namespace } : {}),
    },
  } as unknown as KubeObject
}

function replaceIn(node: unknown, hashed: ReadonlySet<string>): unknown {
  if (typeof node === 'string') return inText(node, hashed)
  if (Array.isArray(node)) return node.map((item) => replaceIn(item, hashed))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, replaceIn(value, hashed)]))
}

function inText(text: string, hashed: ReadonlySet<string>): string | Expression {
  if (hashed.has(text)) return { $helm: `include "ratchet.configMapName" ${called(text)}` }
  if (!text.includes('.ratchet.svc')) return text
  const format = JSON.stringify(text.replaceAll('%', '%%').replaceAll('.ratchet.svc', '.%[1]s.svc'))
  return { $helm: `printf ${format} $.Release.Namespace | toJson` }
}

const called = (name: string) => `(list $ "${name.replace(hash, '')}")`

/** @returns the names with hashes of these objects */
export function hashedNames(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(ofKind(objects, 'ConfigMap').flatMap(({ metadata: { name } }) => (hash.test(name) ? [name] : [])))
}

/** The key of an object that is the same in every rendering. */
export const stableName = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name.replace(hash, '')}`

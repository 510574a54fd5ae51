import type { KubeObject } from './kube-object.ts'

/** What the generated classes of kubernetes-models have in common. */
interface Model {
  validate(): void
}

/** Groups that are not of Kubernetes itself. */
const packages: Readonly<Record<string, string>> = {
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

/**
 * What the API server would say of an object: values of the wrong kind, missing ones, and fields that nobody knows.
 * A validator looks at every field of its schema and at no other, so a field it does not look at is unknown.
 */
export async function schemaProblems(object: KubeObject): Promise<readonly string[]> {
  const { apiVersion, kind, metadata } = object
  const where = `${kind} ${metadata.name}`
  const model = await modelOf(apiVersion, kind)
  if (model === null) return [`${where}: nobody knows ${apiVersion} ${kind}`]
  const unread = new Set<string>()
  const instance: Model & Record<string, unknown> = new model({})
  for (const [field, value] of Object.entries(object)) instance[field] = watched(value, field, unread)
  const wrong = problemOf(instance)
  return [
    ...(wrong === null ? [] : [`${where}: ${wrong}`]),
    ...[...unread].map((field) => `${where}: no field ${field}`),
  ]
}

async function modelOf(
  apiVersion: string,
  kind: string,
): Promise<(new (data: object) => Model & Record<string, unknown>) | null> {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
  try {
    const found = await import(`${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`)
    return found[kind]
  } catch {
    return null
  }
}

function problemOf(instance: Model): string | null {
  try {
    instance.validate()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The same value, with its fields taken out of `unread` as they are looked at. */
function watched(value: unknown, at: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) for (const field of Object.keys(value)) unread.add(`${at}.${field}`)
  const inside = new Map<string, unknown>()
  return new Proxy(value, {
    get(target, field) {
      const found: unknown = Reflect.get(target, field)
      if (typeof field === 'symbol' || !Object.hasOwn(target, field)) return found
      unread.delete(`${at}.${field}`)
      if (!inside.has(field)) inside.set(field, watched(found, `${at}.${field}`, unread))
      return inside.get(field)
    },
  })
}

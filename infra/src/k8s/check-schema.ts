import type { KubeObject } from './kube-object.ts'

/** Common interface of the classes that kubernetes-models generates. */
interface Model {
  validate(): void
}

/** API groups outside Kubernetes itself, and the package with their schemas. */
const packages: Readonly<Record<string, string>> = {
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

/**
 * Finds what the API server would reject: values of the wrong type, missing values and unknown fields.
 * A validator reads every field of its schema and no other, so a field that it does not read is unknown.
 */
export async function schemaProblems(object: KubeObject): Promise<readonly string[]> {
  const { apiVersion, kind, metadata } = object
  const where = `${kind} ${metadata.name}`
  const model = await modelOf(apiVersion, kind)
  if (model === null) return [`${where}: there is no schema for ${apiVersion} ${kind}`]
  const unknownFields = new Set<string>()
  const instance: Model & Record<string, unknown> = new model({})
  for (const [field, value] of Object.entries(object)) instance[field] = trackFields(value, field, unknownFields)
  const wrong = problemOf(instance)
  return [
    ...(wrong === null ? [] : [`${where}: ${wrong}`]),
    ...[...unknownFields].map((field) => `${where}: unknown field ${field}`),
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

/** Returns a proxy of the value that removes a field from `unknownFields` when the validator reads it. */
function trackFields(value: unknown, at: string, unknownFields: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) for (const field of Object.keys(value)) unknownFields.add(`${at}.${field}`)
  const inside = new Map<string, unknown>()
  return new Proxy(value, {
    get(target, field) {
      const found: unknown = Reflect.get(target, field)
      if (typeof field === 'symbol' || !Object.hasOwn(target, field)) return found
      unknownFields.delete(`${at}.${field}`)
      if (!inside.has(field)) inside.set(field, trackFields(found, `${at}.${field}`, unknownFields))
      return inside.get(field)
    },
  })
}

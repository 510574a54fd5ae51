import type { Content, OpenApi, Operation } from '../site/openapi.ts'

/**
 * The document for a generator of functions: endpoints in groups by the first part of their path, and only the answers that a function
 * returns, because errors are raised. JSON lines are sent as a file and returned as a text.
 */
export function prepareDocument(document: OpenApi): OpenApi {
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const prepared = Object.entries(operations).map(([method, operation]) => [
      method,
      { ...operation, ...withFileBodies(operation), responses: returned(operation), tags: [groupOf(path)] },
    ])
    return [path, Object.fromEntries(prepared)]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

/** `fine_tuning` of `/v1/fine_tuning/jobs`. */
function groupOf(path: string): string {
  const [, , group] = path.split('/')
  if (group === undefined) throw new Error(`No group: ${path}`)
  return group
}

/** JSON lines have two names; one is enough. */
function withFileBodies({ requestBody }: Operation): Partial<Operation> {
  if (requestBody === undefined) return {}
  const content = Object.entries(requestBody.content)
    .filter(([type]) => type !== 'application/x-ndjson')
    .map(([type, body]) => [type, type === 'application/jsonl' ? file : body])
  return { requestBody: { ...requestBody, content: Object.fromEntries(content) } }
}

function returned({ responses }: Operation): Operation['responses'] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return Object.fromEntries(
    successes.map(([status, response]) => [status, { ...response, content: asReturned(response.content ?? {}) }]),
  )
}

/** A text for JSON lines, bytes for what has no type. */
function asReturned(content: Content): Content {
  const entries = Object.entries(content).map(([type, body]) => {
    if (type === 'application/jsonl') return ['text/plain', body]
    return [type, type === 'application/octet-stream' ? file : body]
  })
  return Object.fromEntries(entries)
}

const file = { schema: { type: 'string', format: 'binary' } }

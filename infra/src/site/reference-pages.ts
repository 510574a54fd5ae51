import type { Content, Endpoint, OpenApi, Schema } from './openapi.ts'
import { endpointsOf, referencedName } from './openapi.ts'
import { limitText, table, typeText } from './schema-text.ts'

/** A page of the site: its path from the root, and its Markdown. */
export interface SitePage {
  readonly file: string
  readonly text: string
}

/** Folders of the pages that are made from the API description. */
export const referenceFolder = 'reference'

/** One page for each endpoint, one for each named type, and a list of all endpoints. */
export function referencePages(document: OpenApi): readonly SitePage[] {
  const endpoints = endpointsOf(document)
  const { schemas } = document.components
  return [
    { file: `${referenceFolder}/endpoints/index.md`, text: endpointList(endpoints) },
    ...endpoints.map((endpoint) => ({ file: endpointFile(endpoint), text: endpointPage(endpoint, schemas) })),
    ...Object.entries(schemas).map(([name, schema]) => ({
      file: `${referenceFolder}/types/${name}.md`,
      text: typePage(name, schema),
    })),
  ]
}

export function endpointFile({ operationId }: Endpoint): string {
  return `${referenceFolder}/endpoints/${operationId}.md`
}

function endpointList(endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map(({ method, path, operationId, summary }) => [
    `[\`${method} ${path}\`](./${operationId}.md)`,
    summary,
  ])
  return `# Endpoints\n\n${table(['endpoint', 'what it does'], rows)}\n`
}

const permissions: Readonly<Record<string, string>> = {
  any: 'any member of the workspace',
  owner_admin: 'owners and admins of the workspace',
  owner: 'owners of the workspace',
}

type Schemas = OpenApi['components']['schemas']

/** What a reader needs to call an endpoint, with the fields of its body. */
export function endpointPage(endpoint: Endpoint, schemas: Schemas): string {
  const { method, path, summary, description, requestBody, responses } = endpoint
  const permission = endpoint['x-permission']
  const parts = [
    `# ${method} ${path}`,
    summary,
    description,
    permission === undefined ? undefined : `**May call it:** ${permissions[permission] ?? permission}.`,
    `\`\`\`sh\n${curlText(endpoint)}\n\`\`\``,
    parametersText(endpoint),
    requestBody === undefined ? undefined : bodyText(requestBody.content, schemas),
    `## Answers\n\n${table(
      ['status', 'meaning', 'body'],
      Object.entries(responses).map(([status, { description: meaning, content }]) => [
        status,
        meaning,
        content === undefined ? '' : contentText(content),
      ]),
    )}`,
  ]
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
}

function curlText({ method, path, requestBody }: Endpoint): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${path}"`,
    '  -H "Authorization: Bearer $API_KEY"',
  ]
  const types = Object.keys(requestBody?.content ?? {})
  if (types.includes('application/json')) lines.push("  -H 'Content-Type: application/json'", '  -d @body.json')
  return lines.join(' \\\n')
}

function parametersText({ parameters = [] }: Endpoint): string | undefined {
  if (parameters.length === 0) return undefined
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    `\`${name}\``,
    place,
    required === true ? 'yes' : '',
    typeText(schema),
    limitText(schema),
    description ?? schema.description ?? '',
  ])
  return `## Parameters\n\n${table(['name', 'in', 'required', 'type', 'limits', 'meaning'], rows)}`
}

function bodyText(content: Content, schemas: Schemas): string {
  const ref = content['application/json']?.schema?.$ref
  const schema = ref === undefined ? undefined : schemas[referencedName(ref)]
  const fields = schema?.properties === undefined ? [] : [fieldsText(schema)]
  return ['## Body', contentText(content), ...fields].join('\n\n')
}

function contentText(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      const text = schema === undefined ? '' : typeText(schema)
      return type === 'application/json' ? text : `\`${type}\`${text === '' ? '' : `: ${text}`}`
    })
    .join('; ')
}

/** The fields of a named type, or its variants. */
export function typePage(name: string, schema: Schema): string {
  const parts = [
    `# ${name}`,
    schema.description,
    schema.properties === undefined ? typeText(schema) : fieldsText(schema),
  ]
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
}

function fieldsText({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([field, schema]) => [
    `\`${field}\``,
    required.includes(field) ? 'yes' : '',
    typeText(schema),
    limitText(schema),
    schema.description ?? '',
  ])
  return table(['field', 'required', 'type', 'limits', 'meaning'], rows)
}

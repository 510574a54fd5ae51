import type { DefaultTheme } from 'vitepress'
import { type Endpoint, endpointsOf, type OpenApi } from './openapi.ts'
import { endpointFile, referenceFolder } from './reference-pages.ts'

type Item = DefaultTheme.SidebarItem

export interface DocumentTitle {
  /** From the root of the repository. */
  readonly file: string
  readonly title: string
}

interface Group {
  readonly text: string
  readonly has: (file: string) => boolean
}

const decisionsFolder = 'docs/adr/'
/** What a reader begins with, in this order. */
const first = ['README.md', 'ARCHITECTURE.md', 'examples/README.md']

/** The first that has a document shows it. */
const groups: readonly Group[] = [
  { text: 'Start', has: (file) => first.includes(file) },
  { text: 'Documents', has: (file) => file.startsWith('docs/') || /^[A-Z]+\.md$/.test(file) },
  { text: 'Services', has: (file) => file.startsWith('services/') },
  { text: 'Parts', has: () => true },
]

/** Contents of the site by folder. Each page has the contents of its own folder only: all of them would be 200 KB. */
export function sidebarOf(titles: readonly DocumentTitle[], document: OpenApi): DefaultTheme.SidebarMulti {
  const itemOf = ({ file, title }: DocumentTitle): Item => ({ text: title, link: linkTo(file) })
  const decisions = titles.filter(({ file }) => file.startsWith(decisionsFolder))
  const documents = titles
    .filter(({ file }) => !file.startsWith(decisionsFolder))
    .sort((a, b) => placeOf(a.file) - placeOf(b.file))
  const items = groups.map(({ text }) => ({ text, items: [] as Item[] }))
  for (const title of documents) items[groups.findIndex(({ has }) => has(title.file))]?.items.push(itemOf(title))
  return {
    [`/${referenceFolder}/endpoints/`]: endpointItems(endpointsOf(document)),
    [`/${referenceFolder}/types/`]: [{ text: 'Endpoints', link: `/${referenceFolder}/endpoints/` }],
    [`/${decisionsFolder}`]: [{ text: 'Decisions', items: decisions.map(itemOf) }],
    '/': items,
  }
}

function placeOf(file: string): number {
  const place = first.indexOf(file)
  return place === -1 ? first.length : place
}

function endpointItems(endpoints: readonly Endpoint[]): Item[] {
  const byResource = new Map<string, Item[]>()
  for (const endpoint of endpoints) {
    const resource = endpoint.path.split('/')[2] ?? ''
    const items = byResource.get(resource) ?? []
    items.push({ text: `${endpoint.method} ${endpoint.path}`, link: linkTo(endpointFile(endpoint)) })
    byResource.set(resource, items)
  }
  return [...byResource].map(([text, items]) => ({ text, collapsed: true, items }))
}

function linkTo(file: string): string {
  return `/${file.replace(/(README|index)\.md$/, '').replace(/\.md$/, '')}`
}

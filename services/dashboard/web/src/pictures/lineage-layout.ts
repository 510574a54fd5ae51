import type { LineageNode, VersionLineage } from '@ratchet/contracts/model-versions'

/** A node at its place: columns go from what came first to what came of it. */
export interface PlacedNode {
  readonly node: LineageNode
  readonly column: number
  readonly row: number
}

export interface LineageLayout {
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly { readonly from: PlacedNode; readonly to: PlacedNode }[]
  readonly columns: number
  readonly rows: number
}

/** Each node is one column after the last of what it came from. */
export function lineageLayout({ nodes, edges }: VersionLineage): LineageLayout {
  const columns = new Map(nodes.map(({ id }) => [id, 0]))
  // A path has at most as many edges as there are nodes, so a circle, which should not exist, ends this too.
  for (let pass = 0; pass < nodes.length; pass += 1) {
    for (const { from, to } of edges) {
      const least = Math.min((columns.get(from) ?? 0) + 1, nodes.length)
      if ((columns.get(to) ?? 0) < least) columns.set(to, least)
    }
  }
  const used = new Map<number, number>()
  const placed = new Map<string, PlacedNode>()
  for (const node of nodes) {
    const column = columns.get(node.id) ?? 0
    const row = used.get(column) ?? 0
    used.set(column, row + 1)
    placed.set(node.id, { node, column, row })
  }
  return {
    nodes: [...placed.values()],
    edges: edges.flatMap(({ from, to }) => {
      const [start, end] = [placed.get(from), placed.get(to)]
      return start === undefined || end === undefined ? [] : [{ from: start, to: end }]
    }),
    columns: Math.max(0, ...used.keys()) + 1,
    rows: Math.max(1, ...used.values()),
  }
}

const words: Record<LineageNode['type'], string> = {
  log_filters: 'log',
  dataset: 'dataset',
  file: 'file',
  job: 'job',
  run: 'GRPO run',
  round: 'RAFT round',
  checkpoint: 'checkpoint',
  version: 'version',
  eval: 'eval',
  guard: 'guard',
  audit: 'audit',
  adoption: 'adoption',
  promotion: 'promotion',
}

export function nodeWord({ type }: Pick<LineageNode, 'type'>): string {
  return words[type]
}

/** What is known of a node, in one line. */
export function nodeText({ type, details }: Pick<LineageNode, 'type' | 'details'>): string {
  const text = (name: string) => (typeof details[name] === 'string' ? String(details[name]) : null)
  switch (type) {
    case 'log_filters':
      return Object.entries(details)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ')
    case 'checkpoint':
      return `step ${String(details.step)}`
    case 'adoption':
    case 'promotion':
      return `${text('alias') ?? ''} ${String(details.percent)} %`.trim()
    case 'job':
      return [text('method'), text('trainer')].flatMap((word) => word ?? []).join(', ')
    case 'version':
      return text('status') ?? text('model_id') ?? ''
    case 'run':
      return text('name') ?? 'grpo'
    case 'round':
      return text('name') ?? `round ${Number(details.round_index) + 1}`
    case 'guard':
      return text('verdict') ?? ''
    case 'audit':
      return `${String(details.false_pass)} of ${String(details.graded)} failed`
    default:
      return details.deleted === true ? 'deleted' : (text('name') ?? '')
  }
}

/** The same with what else identifies it: hash, seed, attempts, and the program that trained. */
export function knownText(node: Pick<LineageNode, 'type' | 'details'>): string {
  const { sha256, seed, attempts } = node.details
  const tries = Array.isArray(attempts) ? (attempts as readonly { readonly code_version: string | null }[]) : []
  return [
    nodeText(node),
    typeof sha256 === 'string' ? `sha256 ${sha256.slice(0, 12)}` : '',
    typeof seed === 'number' ? `seed ${seed}` : '',
    tries.length > 1 ? `${tries.length} attempts` : '',
    tries.at(-1)?.code_version ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

/** The whole graph as a sentence. */
export function lineageSentence({ nodes, edges }: VersionLineage): string {
  const counts = new Map<string, number>()
  for (const node of nodes) counts.set(nodeWord(node), (counts.get(nodeWord(node)) ?? 0) + 1)
  const parts = [...counts].map(([word, count]) => `${count} ${word}`)
  return `Lineage of the version: ${parts.join(', ')}, and ${edges.length} steps from one to another.`
}

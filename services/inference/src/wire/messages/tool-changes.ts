import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'

const changes: ReadonlySet<unknown> = new Set(['tool_addition', 'tool_removal'])

/** True for a block that adds or removes a tool in the middle of a conversation. */
export function isToolChange({ type }: Fields): boolean {
  return changes.has(type)
}

/** The definition of a tool that such a block brings with it; null for one that only names a tool. */
export function addedDefinition({ type, tool }: Fields): Fields | null {
  const added = asObject(tool)
  return type === 'tool_addition' && added?.type === 'tool_definition' ? asObject(added.definition) : null
}

/** The tools that the model may call after all changes in the messages of a request. The same list without changes. */
export function toolsAfterChanges({ tools, messages }: Body): readonly unknown[] {
  const made = asList(messages).flatMap((message) => asList(asObject(message)?.content).flatMap(changesIn))
  if (made.length === 0) return asList(tools)
  const known = new Map(asList(tools).map((tool): [unknown, unknown] => [nameOf(tool), tool]))
  const offered = new Map(known)
  for (const change of made) {
    const definition = addedDefinition(change)
    const name = definition === null ? asText(asObject(change.tool)?.name) : nameOf(definition)
    if (definition !== null) known.set(name, definition)
    if (change.type === 'tool_removal') offered.delete(name)
    else if (known.has(name)) offered.set(name, known.get(name))
  }
  return [...offered.values()]
}

/** Those of one block; a summary has those of what it stands for. */
function changesIn(value: unknown): readonly Fields[] {
  const block = asObject(value) ?? {}
  if (isToolChange(block)) return [block]
  if (block.type !== 'compaction') return []
  return asList(block.tool_changes)
    .map(asObject)
    .filter((change) => change !== null)
}

/** Toolsets have no name but their type. */
function nameOf(tool: unknown): unknown {
  const { name, type } = asObject(tool) ?? {}
  return name ?? type
}

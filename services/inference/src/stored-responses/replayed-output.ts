import { parseChunk } from '../wire/chat/chat-chunk.ts'
import { asList, asObject, asText, type Fields } from '../wire/responses/fields.ts'
import { replayedItem } from '../wire/responses/stored-items.ts'
import type { StoredResponse } from './stored-response.ts'

/**
 * The output of a stored response as it is sent to a model again. What would make every later request fail is left out:
 * calls that were cut off and never answered, and reasoning that lost what it led to.
 *
 * @param answered the ids of all calls whose output comes later
 */
export function replayedOutput(
  { reply, model }: Pick<StoredResponse, 'reply' | 'model'>,
  answered: ReadonlySet<unknown>,
): readonly Fields[] {
  const { output, status } = asObject(JSON.parse(reply)) ?? {}
  const items = asList(output).map((item) => asObject(item) ?? {})
  const kept = items.map((item) => (isReplayable(item, answered, status === 'incomplete') ? item : null))
  return kept
    .filter((item, index) => item !== null && (item.type !== 'reasoning' || leadsSomewhere(kept, index)))
    .map((item) => replayedItem(readable(item ?? {}), model))
    .filter((item) => item !== null)
}

function isReplayable(item: Fields, answered: ReadonlySet<unknown>, isCutOff: boolean): boolean {
  switch (item.type) {
    case 'message':
      return asList(item.content).length > 0 || (asText(item.content) ?? '') !== ''
    case 'function_call':
      return answered.has(item.call_id) || !(isCutOff || hasBrokenArguments(item))
    case 'custom_tool_call':
      return answered.has(item.call_id) || !isCutOff
    default:
      return true
  }
}

/** Whether the item that this reasoning led to is still there. */
function leadsSomewhere(kept: readonly (Fields | null)[], index: number): boolean {
  const next = kept.slice(index + 1).find((item) => item?.type !== 'reasoning')
  return next !== undefined && next !== null
}

/** A call that was answered has to stay, and no provider reads arguments that are not JSON. */
function readable(item: Fields): Fields {
  return item.type === 'function_call' && hasBrokenArguments(item) ? { ...item, arguments: '{}' } : item
}

function hasBrokenArguments(call: Fields): boolean {
  const text = asText(call.arguments)?.trim() ?? ''
  return text !== '' && parseChunk(text) === null
}

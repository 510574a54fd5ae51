import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { parseChunk } from '../wire/chat/chat-chunk.ts'
import { replayedItem } from '../wire/responses/stored-items.ts'
import type { StoredResponse } from './stored-response.ts'

/**
 * The output of a stored response in the form in which it is sent to a model again. Items that would make every later
 * request fail are left out: calls that were cut off and never answered, and reasoning without the item that followed
 * it.
 *
 * @param answered the ids of all calls whose output comes later
 */
export function replayedOutput(
  { reply, model }: Pick<StoredResponse, 'reply' | 'model'>,
  answered: ReadonlySet<unknown>,
): readonly Fields[] {
  const { output, status } = asObject(JSON.parse(reply)) ?? {}
  const items = asList(output).map((item) => asObject(item) ?? {})
  const replayed = items.map((item) => (isReplayable(item, answered, status === 'incomplete') ? item : null))
  const isFollowed = followedPlaces(replayed)
  return replayed
    .filter((item, index) => item !== null && (item.type !== 'reasoning' || isFollowed[index] === true))
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

/** For each place, whether the next item after it that is no reasoning is still there. */
function followedPlaces(replayed: readonly (Fields | null)[]): readonly boolean[] {
  let isFollowed = false
  const backwards = replayed.toReversed().map((item) => {
    const found = isFollowed
    if (item?.type !== 'reasoning') isFollowed = item !== null
    return found
  })
  return backwards.toReversed()
}

/** A call that was answered must stay, and providers refuse arguments that are not JSON. */
function readable(item: Fields): Fields {
  return item.type === 'function_call' && hasBrokenArguments(item) ? { ...item, arguments: '{}' } : item
}

function hasBrokenArguments(call: Fields): boolean {
  const text = asText(call.arguments)?.trim() ?? ''
  return text !== '' && parseChunk(text) === null
}

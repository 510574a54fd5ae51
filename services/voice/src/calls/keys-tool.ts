import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { ToolManner } from '../engine/call-settings.ts'
import type { ToolCaller } from '../engine/ports.ts'
import type { DescribedTool } from './call-writers.ts'

export const keysTool = 'send_dtmf'

/** The other side is a machine that waits for the keys. */
export const keysManner: ToolManner = { speakAfterMs: 10_000, filler: null }

/** Keys of one call of the tool, such as of the number of a card. */
const shape = /^[0-9*#A-D]{1,32}$/

/** The tool as a model sees it. */
export const describedKeys: DescribedTool = {
  name: keysTool,
  description: 'Presses keys of the telephone, such as for a menu of the other side, one after the other.',
  parameters: {
    type: 'object',
    properties: { keys: { type: 'string', pattern: shape.source, description: 'Such as 2 or 4711#.' } },
    required: ['keys'],
    additionalProperties: false,
  },
}

/** @param press presses keys on the line. @returns whether the line is still there */
export function withKeys(tools: ToolCaller, press: (keys: string) => boolean): ToolCaller {
  return {
    call(tool, onResult) {
      if (tool.name !== keysTool) return tools.call(tool, onResult)
      const named = parseJson(tool.arguments)
      const keys = isObject(named) ? named.keys : undefined
      if (typeof keys !== 'string' || !shape.test(keys)) {
        return onResult('`keys` must be 1 to 32 of the keys 0-9, *, # and A-D.')
      }
      onResult(press(keys) ? 'The keys were pressed.' : '[the keys were not pressed: the line is gone]')
    },
  }
}

import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { ToolManner } from '../engine/call-settings.ts'
import type { ToolCaller } from '../engine/ports.ts'
import type { DescribedTool } from './call-writers.ts'

export const transferTool = 'transfer_call'

type Transfers = AgentSpec['transfers']

/** The caller hears that it rings at the other number. */
export const transferManner: ToolManner = { speakAfterMs: 10_000, filler: null }

/** The tool as a model sees it. It names a target: no number that a caller or a model says is ever called. */
export function describeTransfer(transfers: Transfers): DescribedTool {
  const targets = transfers.map(({ name, description }) => `${name}: ${description}`).join('\n')
  return {
    name: transferTool,
    description: `Connects the caller with somebody else, and ends your part of the call. Targets:\n${targets}`,
    parameters: {
      type: 'object',
      properties: { target: { type: 'string', enum: transfers.map(({ name }) => name) } },
      required: ['target'],
      additionalProperties: false,
    },
  }
}

/** @param transfer connects the caller with a number or a SIP address. @returns whether the carrier did */
export function withTransfer(
  tools: ToolCaller,
  transfers: Transfers,
  transfer: (to: string) => Promise<boolean>,
): ToolCaller {
  return {
    call(tool, onResult) {
      if (tool.name !== transferTool) return tools.call(tool, onResult)
      const named = parseJson(tool.arguments)
      const target = isObject(named) ? transfers.find(({ name }) => name === named.target) : undefined
      if (target === undefined) return onResult('There is no target of this name.')
      void transfer(target.to).then(
        (isDone) => onResult(isDone ? 'The caller was transferred.' : '[the transfer failed: nobody could be reached]'),
        () => onResult('[the transfer failed: internal error]'),
      )
    },
  }
}

import { publicId } from '@ratchet/contracts/public-id'
import { voiceToolPlace } from '@ratchet/contracts/voice/voice-tool-place'
import type { SchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { type SecretBox, SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { RequestedTool } from '../engine/call-events.ts'
import type { ToolCaller } from '../engine/ports.ts'
import { callTool, type ToolCallDeps, type ToolResult } from './call-tool.ts'
import type { StoredTool, ToolSecrets } from './voice-tool.ts'

export interface CallToolsDeps extends ToolCallDeps {
  readonly secrets: Pick<SecretBox, 'open'>
  readonly schemas: Pick<SchemaChecks, 'checkOf'>
}

export interface ToolsOfCall {
  /** UUID. */
  readonly callId: string
  readonly tools: readonly StoredTool[]
}

/** The tools of one telephone call. Arguments that do not fit go back to the model, and nothing is called. */
export function toolsOfCall(deps: CallToolsDeps, { callId, tools }: ToolsOfCall): ToolCaller {
  return {
    call({ id, name, arguments: json }, onResult) {
      const tool = tools.find((each) => each.name === name)
      if (tool === undefined) return onResult('There is no tool of this name.')
      const read = readArguments(deps, tool, json)
      if ('problem' in read) return onResult(`[the tool was not called: ${read.problem}]`)
      const secrets = openSecrets(deps, tool)
      if (secrets === null) return onResult('[tool failed: its secrets cannot be read]')
      const { settings } = tool
      const ids = { callId: publicId('call', callId), toolCallId: id }
      void callTool(deps, { name, settings, secrets, ...ids, arguments: read.values }).then(
        ({ result }: ToolResult) => onResult(result),
        () => onResult('[tool failed: internal error]'),
      )
    },
  }
}

function readArguments(
  { schemas }: CallToolsDeps,
  { settings: { parameters } }: StoredTool,
  json: RequestedTool['arguments'],
): { readonly values: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  const values = json.trim() === '' ? {} : parseJson(json)
  if (!isObject(values)) return { problem: 'its arguments must be a JSON object' }
  const mismatch = schemas.checkOf(parameters)(values)
  return mismatch === null ? { values } : { problem: `argument ${mismatch.path || '/'} ${mismatch.problem}` }
}

function openSecrets({ secrets }: CallToolsDeps, tool: StoredTool): ToolSecrets | null {
  try {
    return JSON.parse(secrets.open(tool.secrets, voiceToolPlace(tool))) as ToolSecrets
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}

import { isTestFile } from './import-rules.ts'

/** Shipped code that opens connections, beside packages/http: where to, and why it may. The list may only shrink. */
export const outboundExceptions: Readonly<Record<string, string>> = {
  'services/edge/src/forward/dispatch-forwarder.ts': 'to our own services, at addresses the operator sets',
  'services/edge/src/forward/management-proxy.ts': 'to our own services, at addresses the operator sets',
  'packages/cli/src/send-request.ts': 'from the operator’s terminal to the deployment they name',
}

/** Folders whose code no request from outside reaches. */
const exempt = /^(packages\/(http|testing|simulated-provider)|infra|bench|test-e2e)\//

/** Clients that reach any host. Drivers of stores are not among them: they reach the store they are given. */
const clients =
  /^(undici|axios|got|ky|needle|node-fetch|superagent|request|ws|follow-redirects|http-proxy(-middleware|-3)?|openai|@(openai|anthropic-ai|google|aws-sdk|azure|mistralai)\/.*)(\/|$)/
const sockets = /^node:(http|https|http2|net|tls|dgram)$|^(http|https|http2|net|tls|dgram)$/

/** What of those modules opens a connection; servers and types may be had. */
const opening =
  /^(request|get|connect|createConnection|Agent|globalAgent|ClientRequest|Socket|TLSSocket|createSocket|default)$/

const globals = /(?<![\w.$-])(?:globalThis\.)?(fetch|WebSocket|EventSource|XMLHttpRequest)\b/
const globalCalls = /(?<![\w.$-])(?:globalThis\.)?(fetch|WebSocket|EventSource|XMLHttpRequest)\(/

/**
 * Says where shipped code opens connections without going through packages/http, one sentence each: whatever is not
 * made there has no guard.
 *
 * @param file path from the repository's folder, with `/`
 * @param code its text without comments
 */
export function checkOutbound(file: string, code: string): readonly string[] {
  if (exempt.test(file) || isTestFile(file) || file in outboundExceptions) return []
  return outboundUses(code).map((use) => `${use} opens connections; use @ratchet/http`)
}

/** Everything in a file that can open a connection. */
export function outboundUses(code: string): readonly string[] {
  return [...globalUses(code), ...importUses(code), ...runTimeUses(code)]
}

function globalUses(code: string): readonly string[] {
  const found = globalCalls.exec(code) ?? globals.exec(withoutTexts(code))
  return found?.[1] === undefined ? [] : [found[1]]
}

/** Words for people may speak of fetching. A quote inside a template hides the rest of its line at most. */
function withoutTexts(code: string): string {
  return code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
}

function importUses(code: string): readonly string[] {
  const statements = code.matchAll(/^[ \t]*(?:import|export)\s+(type\s)?([^'"`;]*?)\s*\bfrom\s*['"]([^'"]+)['"]/gm)
  return [...statements].flatMap(([, type, names = '', module = '']) => {
    if (type !== undefined || !(clients.test(module) || sockets.test(module))) return []
    const values = valuesOf(names)
    const opens = clients.test(module) ? values : values.filter((name) => opening.test(name))
    return opens.length === 0 ? [] : [`${opens.join(', ')} of ${module}`]
  })
}

/** Names bound to values, as the module calls them; a whole module counts as its default. */
function valuesOf(names: string): readonly string[] {
  const [, outside = '', inside = ''] = /^([^{]*)(?:\{([\s\S]*)\})?/.exec(names) ?? []
  const whole = /[\w*]/.test(outside) ? ['default'] : []
  const named = inside.split(',').flatMap((part) => {
    const name = part.trim()
    return name === '' || name.startsWith('type ') ? [] : [name.split(/\s+as\s+/)[0] ?? name]
  })
  return [...whole, ...named]
}

/** Modules asked for while running: nothing says what is taken from them. */
function runTimeUses(code: string): readonly string[] {
  const asked = code.matchAll(/\b(?:import|require|getBuiltinModule)\(\s*['"]([^'"]+)['"]\s*\)/g)
  return [...asked].flatMap(([, module = '']) => (clients.test(module) || sockets.test(module) ? [module] : []))
}

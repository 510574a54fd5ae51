/** Header lines without a valid key, in any interpretation. */
export function badKeys(good: string, revoked: string): readonly (readonly [what: string, lines: readonly string[]])[] {
  const [prefix = ''] = /^.*_/.exec(good) ?? []
  const unknown = `${prefix}${'0'.repeat(good.length - prefix.length)}`
  const bearer = (key: string) => [`Authorization: Bearer ${key}`]
  return [
    ['nothing', []],
    ['an empty header', ['Authorization:']],
    ['a scheme alone', ['Authorization: Bearer']],
    ['a scheme and a space', ['Authorization: Bearer ']],
    ['a key without a scheme', [`Authorization: ${good}`]],
    ['another scheme', [`Authorization: Basic ${Buffer.from(`:${good}`).toString('base64')}`]],
    ['a token of another kind', [`Authorization: Token ${good}`]],
    ['a scheme run into the key', [`Authorization: Bearer${good}`]],
    ['a tab for the space', [`Authorization: Bearer\t${good}`]],
    ['two keys in one header', bearer(`${good}, ${good}`)],
    ['two schemes', bearer(`Bearer ${good}`)],
    ['two headers', [...bearer(good), ...bearer(good)]],
    ['two headers, the second of another case', [...bearer(good), `aUTHORIZATION: Bearer ${good}`]],
    ['quotes', bearer(`"${good}"`)],
    ['a key of 8 KB', bearer(prefix + 'a'.repeat(8_192))],
    ['bytes above ASCII', bearer(`${good}\xe9`)],
    ['one letter more', bearer(`${good}0`)],
    ['one letter less', bearer(good.slice(0, -1))],
    ['the last letter changed', bearer(good.slice(0, -1) + (good.endsWith('a') ? 'b' : 'a'))],
    ['the other case', bearer(good.toUpperCase())],
    ['percent-encoding', bearer(encodeURIComponent(good).replace(/_/g, '%5F'))],
    ['an unknown key', bearer(unknown)],
    ['a revoked key', bearer(revoked)],
    ['SQL that is true', bearer("' OR '1'='1")],
    ['SQL that selects', bearer("x' UNION SELECT encode(hash,'hex') FROM api_key --")],
    ['SQL that waits', bearer(`${good}'; SELECT pg_sleep(5); --`)],
    ['a wildcard', bearer(`${prefix}%`)],
    ['JSON', bearer('{"$ne":null}')],
    ['a key in the query', ['X-Nothing: 1']],
    ['a key in a cookie', [`Cookie: authorization=Bearer ${good}`]],
    ['a key for a proxy', [`Proxy-Authorization: Bearer ${good}`]],
    ['two keys of Anthropic’s clients', [`x-api-key: ${good}`, `x-api-key: ${good}`]],
    ['a key of Anthropic’s clients beside another of Azure’s', [`x-api-key: ${good}`, `api-key: ${unknown}`]],
    ['an identity of our own making', ['X-Internal-Identity: v1.k1.e30.AA', 'X-Internal-Workspace: victim']],
    ['a user in a header', ['X-Forwarded-User: owner', 'X-Remote-User: owner', 'X-Original-URL: /healthz']],
  ]
}

/** Host headers and forwarded-host headers that must not change the routing. */
export const hostTricks: readonly (readonly string[])[] = [
  ['Host: localhost'],
  ['Host: 127.0.0.1:8080'],
  ['Host: admin'],
  ['Host: evil.example@gateway.test'],
  ['Host: gateway.test:99999'],
  ['Host: '],
  ['Host: gateway.test/v1/healthz'],
  ["Host: ' OR 1=1 --"],
  ['Host: legacy.gateway.test'],
  ['Host: gateway.test', 'X-Forwarded-Host: localhost'],
  ['Host: gateway.test', 'Forwarded: for=127.0.0.1;host=localhost'],
  ['Host: gateway.test', 'X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'],
  ['Host: gateway.test', 'X-Original-URL: /healthz', 'X-Rewrite-URL: /docs'],
]

export const codeLanguages = ['curl', 'Python', 'TypeScript'] as const
export type CodeLanguage = (typeof codeLanguages)[number]

interface CodeInput {
  /** Origin of the API. */
  readonly origin: string
  /** The complete request. */
  readonly body: Readonly<Record<string, unknown>>
  /** Headers of the gateway that the request has. */
  readonly headers: Readonly<Record<string, string>>
}

/** The same request as a program. Keys are never written into it. */
export function codeFor(language: CodeLanguage, input: CodeInput): string {
  if (language === 'curl') return curl(input)
  return language === 'Python' ? python(input) : typescript(input)
}

function curl({ origin, body, headers }: CodeInput): string {
  const lines = Object.entries({
    Authorization: 'Bearer $API_KEY',
    'Content-Type': 'application/json',
    ...headers,
  }).map(([name, value]) => `  -H "${name}: ${value}" \\`)
  // A quote inside of single quotes of a shell is closed, escaped and opened again.
  const data = JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
  return [`curl ${origin}/v1/chat/completions \\`, ...lines, `  -d '${data}'`].join('\n')
}

function python({ origin, body, headers }: CodeInput): string {
  const json = JSON.stringify(JSON.stringify(body))
  return `import json, os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["API_KEY"])
body = json.loads(${json})
answer = client.chat.completions.create(**body, extra_headers=${JSON.stringify(headers)})
print(answer.choices[0].message.content)`
}

function typescript({ origin, body, headers }: CodeInput): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.API_KEY })
const answer = await client.chat.completions.create(
  ${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')},
  { headers: ${JSON.stringify(headers)} },
)
console.log(answer.choices[0].message.content)`
}

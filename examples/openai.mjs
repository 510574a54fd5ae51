// OpenAI's SDK: an answer in pieces, with its cost, under a tag of your own.
import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: `${process.env.RATCHET_BASE_URL}/v1`,
  apiKey: process.env.RATCHET_API_KEY,
})

const stream = await client.chat.completions.create(
  {
    model: process.env.MODEL ?? 'sim/medium',
    messages: [{ role: 'user', content: 'Why is the sky blue?' }],
    stream: true,
    stream_options: { include_usage: true },
  },
  { headers: { 'X-Svc-Tag': 'example' } },
)

for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
  if (chunk.usage) console.log(`\n${chunk.usage.total_tokens} tokens, ${chunk.usage.cost_usd} USD`)
}

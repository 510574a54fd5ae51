// Anthropic's SDK: works with the models of every provider.
import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: process.env.RATCHET_BASE_URL, apiKey: process.env.RATCHET_API_KEY })

const message = await client.messages.create({
  model: process.env.MODEL ?? 'sim/medium',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'Why is the sky blue?' }],
})

for (const block of message.content) if (block.type === 'text') console.log(block.text)
console.log(`${message.usage.output_tokens} tokens written, ${message.usage.cost_usd} USD`)

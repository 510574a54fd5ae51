import type { Values } from './values.fixture.ts'

/** A family generates prompts that differ only in their variable parts. */
export type PromptFamily = (v: Values) => string

const ticket = (v: Values) => `Ticket ${v.id()}\nFrom: ${v.name()} <${v.email()}>\nDate: ${v.date()}\n${v.prose(1, 6)}`

export const SUPPORT: readonly PromptFamily[] = [
  (v) =>
    `You are ${v.first()}, a friendly support agent at ${v.firm()}. You are talking to ${v.name()}, who has been a customer since ${v.date()}. Answer politely and never promise refunds. If you cannot help, send the customer to ${v.email()}.`,
  (v) =>
    `You are a support agent for ${v.firm()}.\n\nCustomer name: ${v.name()}\nCustomer id: ${v.id()}\nCity: ${v.city()}\nLast order: ${v.id()} (${v.date()})\n\nHelp the customer with billing questions only. Transfer everything else.`,
  (v) =>
    `You handle cancellations at ${v.firm()}. The customer's name is ${v.name()} and the contract ${v.id()} ends on ${v.date()}. Offer a discount of ${v.int(5, 40)}% before you cancel. Always confirm the cancellation in writing.`,
  (v) =>
    `## Role\nYou triage incoming tickets for ${v.firm()}.\n\n## Ticket\n${ticket(v)}\n\n## Instructions\nAssign the ticket to one of: billing, shipping, technical. Explain your choice in one sentence.`,
  (v) =>
    `You write e-mail replies for the ${v.city()} office of ${v.firm()}. Keep the tone warm. Sign every mail as ${v.name()}. Do not mention prices.\n\nHere is the e-mail to reply to:\n${ticket(v)}`,
  (v) =>
    `Today is ${v.date()}. You are the returns desk of ${v.firm()}. Ask for the order number first. Accept returns within ${v.int(10, 60)} days. Refuse used items.\nUser profile: ${v.json(['name', 'email', 'city', 'plan', 'age', 'notes'])}`,
  (v) =>
    `You are a travel concierge at ${v.firm()}. Your guest is ${v.name()} from ${v.city()}. ${v.first()} likes ${v.noun()}s and has stayed ${v.int(1, 20)} times. Suggest three activities near the hotel. Be brief.`,
  (v) =>
    `You are a bank assistant. Never ask for a PIN. Customer since: ${v.date()}\nBranch: ${v.city()}\nAccount: ${v.id()}\n\nExplain fees in simple words and point to ${v.url()} for details.`,
  (v) =>
    `<role>You are a warranty specialist.</role>\n<customer>\n${v.name()}, ${v.city()}\n${v.prose(1, 4)}\n</customer>\n<rules>\nCheck the purchase date first. Reject claims older than ${v.int(12, 36)} months. Stay factual.\n</rules>`,
]

export const RAG: readonly PromptFamily[] = [
  (v) =>
    `Answer the question using only the context below. If the answer is not in the context, say "I don't know".\n\nContext:\n${v.prose(2, 60)}`,
  (v) =>
    `You are a research assistant. Use the following passages to answer the user's question. Cite passages by number.\n\n${v.passages(2, 12)}`,
  (v) =>
    `You answer questions about company policy.\n\n<documents>\n${v.documents(1, 6)}\n</documents>\n\nAnswer in at most three sentences and name the document you used.`,
  (v) => `Summarize the document in five bullet points for an executive.\n\nDocument:\n${v.prose(5, 80)}`,
  (v) =>
    `Context:\n"""\n${v.prose(3, 30)}\n"""\n\nWrite one question that the context answers, then the answer. Do not invent facts.`,
  (v) =>
    `You are a legal assistant. Below is a contract between ${v.firm()} and ${v.name()}, dated ${v.date()}.\n\nContract text:\n${v.prose(6, 50)}\n\nList every obligation of the supplier that is mentioned above. Quote the sentences literally.`,
  (v) =>
    `You are a helpful assistant with access to a knowledge base.\n\nSearch results:\n${v.many(1, 8, () => `- ${v.url()}: ${v.statement()}`, '\n')}\n\nAnswer the question of the user with the search results above. Today's date is ${v.date()}.`,
  (v) =>
    `Answer medical questions for nurses. Rely on the retrieved guidelines and give the dose in milligrams.\n\nRetrieved documents:\n${v.many(2, 6, (index) => `Document ${index + 1} (score 0.${v.int(10, 99)}): ${v.prose(1, 5)}`, '\n\n')}`,
  (v) =>
    `# Task\nDecide whether the claim follows from the source. Reply with SUPPORTED or REFUTED.\n\n# Source\n${v.prose(2, 20)}`,
  (v) => `You are given notes of a meeting:\n${v.salad(20, 400)}\n\nExtract all action items as a table.`,
  (v) =>
    `<instructions>Compare the two articles and describe where they disagree.</instructions>\n<article>${v.prose(3, 20)}</article>\n<article>${v.prose(3, 20)}</article>`,
]

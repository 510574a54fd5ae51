import { company, paragraph, person, product, town } from './recurring-values.fixture.ts'
import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

type Template = (v: Values, meaning: string) => string

const PAIRS: readonly (readonly [string, string, Template])[] = [
  [
    'billing',
    'shipping',
    (v, word) =>
      `You are the ${word} agent of ${company(v)}. The customer is ${person(v)}. Answer in two sentences and never promise a date.`,
  ],
  [
    'German',
    'Polish',
    (v, word) => `Reply to the message of ${person(v)} in ${word}. Keep order numbers as they are.\n\n${paragraph(v)}`,
  ],
  [
    'deutsch',
    'englisch',
    (v, word) =>
      `Du bist der Assistent von ${company(v)} in ${town(v)}. Der Kunde heißt ${person(v)}. Antworte kurz und auf ${word}.`,
  ],
  [
    'français',
    'anglais',
    (v, word) =>
      `Tu es le conseiller de ${company(v)}. Le client s'appelle ${person(v)}. Réponds en ${word} et reste poli.`,
  ],
  [
    'always',
    'never',
    (v, word) =>
      `You help guests of ${company(v)} in ${town(v)}. You ${word} offer a discount. Ask for the booking number first.`,
  ],
  [
    'Summarize',
    'Translate',
    (v, word) =>
      `${word} the following report for the managers of ${company(v)}. Keep the figures and the names.\n\n${paragraph(v)}`,
  ],
  [
    'three',
    'five',
    (v, word) =>
      `Summarize the call with ${person(v)} in ${word} bullet points. Leave out small talk and keep the figures.\n\n${paragraph(v)}`,
  ],
  [
    'JSON',
    'YAML',
    (v, word) =>
      `Extract the sender, the date and the request from the mail to ${company(v)}. Answer with ${word} only.\n\n${paragraph(v)}`,
  ],
  [
    'patients',
    'doctors',
    (v, word) =>
      `You answer questions of ${word} about the clinic in ${town(v)}. Be precise and do not give a diagnosis. Today's contact is ${person(v)}.`,
  ],
  [
    'approve',
    'reject',
    (v, word) =>
      `Read the application of ${person(v)}. If a document is missing, ${word} it. Explain the decision in one sentence.\n\n${paragraph(v)}`,
  ],
  [
    'kurz',
    'ausführlich',
    (v, word) =>
      `Fasse den Bericht von ${person(v)} ${word} zusammen. Nenne keine Namen und keine Beträge.\n\n${paragraph(v)}`,
  ],
  [
    'tytuł',
    'opis',
    (v, word) =>
      `Jesteś redaktorem sklepu ${company(v)}. Napisz ${word} produktu i nie używaj przymiotników. Produkt: ${product(v)}.`,
  ],
  [
    'formal',
    'casual',
    (v, word) =>
      `Hi! I'm ${person(v)} from ${company(v)}. You write emails for me. Use a ${word} voice and no more than ninety words.`,
  ],
  [
    'Python',
    'Rust',
    (v, word) =>
      `You review ${word} code for ${company(v)}. Point out bugs and unclear names. The author is ${person(v)}.`,
  ],
  [
    'a refund',
    'a repair',
    (v, word) =>
      `Context:\n${paragraph(v)}\n---\nDecide from the context whether the customer may get ${word}. Answer yes or no.`,
  ],
  [
    'questions',
    'objections',
    (v, word) =>
      `${person(v)} prepares a talk in ${town(v)}. Raise three ${word} after each paragraph and wait for a reply.`,
  ],
  [
    '予約',
    '返品',
    (v, word) =>
      `あなたは${v.pick(['東京', '大阪', '京都'])}の店の係です。${word}の問い合わせに答えてください。お客様は${v.pick(['田中', '佐藤', '鈴木'])}様です。丁寧な言葉を使ってください。`,
  ],
  [
    '退货',
    '换货',
    (v, word) =>
      `你是${v.pick(['美团', '京东', '小米'])}的客服助手,负责${word}。用户${v.pick(['王伟', '李娜', '张敏'])}的订单号是${v.int(100000, 999999)}。请用中文简短回答。`,
  ],
  [
    'quejas',
    'pedidos',
    (v, word) =>
      `Eres el asistente de ${company(v)} para ${word}. El cliente se llama ${person(v)}. Confirma siempre la fecha y el número.`,
  ],
  [
    'sell',
    'buy',
    (v, word) =>
      `You advise ${person(v)}, who wants to ${word} a house in ${town(v)}. Ask for the budget first and name two risks.`,
  ],
  [
    'her manager',
    'her doctor',
    (v, word) => `${person(v)} is off sick. You write a note to ${word} in two sentences. Do not mention a diagnosis.`,
  ],
  [
    'before',
    'after',
    (v, word) =>
      `You remind guests of ${company(v)} to pay ${word} the visit. Be friendly and give the amount. The guest is ${person(v)}.`,
  ],
  [
    'only',
    'not only',
    (v, word) =>
      `Use ${word} the passages to answer the question of ${person(v)}. Quote the source.\n\n${paragraph(v)}`,
  ],
  [
    'English',
    'French',
    (v, word) =>
      `You teach ${word} to ${person(v)}. Correct every sentence and explain the mistake. Praise what went well.`,
  ],
]

/** Pairs of applications that differ in one meaningful word, in the midst of values that recur. */
export const PAIRS_APART: readonly (readonly [PromptFamily, PromptFamily])[] = PAIRS.map(([one, other, template]) => [
  (v) => template(v, one),
  (v) => template(v, other),
])

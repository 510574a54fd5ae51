import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const TONGUES = 'Portuguese Finnish Greek Hindi Arabic French German Vietnamese Ukrainian Danish Romanian'.split(' ')
const COLUMNS = 'created_at user_id total_cents sku region status discount rating channel country weight_kg'.split(' ')
const ENTITIES = 'flights crews bookings airports meters readings tariffs claims policies members loans desks'.split(
  ' ',
)
const draw = (v: Values, count: number, from: readonly string[]) => {
  const left = [...from]
  return Array.from({ length: count }, () => left.splice(v.int(0, left.length - 1), 1)[0] ?? '')
}
const columns = (v: Values) => draw(v, v.int(2, 6), COLUMNS)

/** Applications that nothing in the miner was chosen for. */
export const HELD_OUT_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `### Task\nWrite a MySQL query that answers the question of the user.\n\n### Database schema\n${v.many(1, 5, () => `Table ${v.pick(ENTITIES)}: ${columns(v).join(', ')}`, '\n')}\n\n### Rules\nDo not explain the query. Prefer joins to subqueries.`,
  (v) =>
    `You are a BigQuery expert. Given the following tables, produce a query in standard SQL.\n\n${v.many(
      1,
      4,
      () =>
        `- \`${v.pick(ENTITIES)}\` (${columns(v)
          .map((each) => `${each} ${v.pick(['STRING', 'INT64', 'DATE'])}`)
          .join(', ')})`,
      '\n',
    )}\n\nOnly return the query, without comments.`,
  (v) => {
    const [from, to] = draw(v, 2, TONGUES)
    return `You are an interpreter in a hospital. The doctor speaks ${from} and the patient speaks ${to}. Translate every utterance faithfully and add nothing.`
  },
  (v) => {
    const [from, to] = draw(v, 2, TONGUES)
    return `Language pair: ${from} → ${to}\nYou localize subtitles. Keep each line under 42 characters and preserve the speaker labels.`
  },
  (v) =>
    `Decide whether a review is positive, negative or mixed.\n\n${v.many(1, 9, (index) => `Example ${index + 1}\nReview: ${v.prose(1, 2)}\nSentiment: ${v.pick(['positive', 'negative', 'mixed'])}`, '\n\n')}\n\nNow classify the review that the user sends. Output the label only.`,
  (v) =>
    `Detect the language register of an email: formal, neutral or casual.\n${v.many(2, 8, () => `Input: ${v.sentence()} Output: ${v.pick(['formal', 'neutral', 'casual'])}`, '\n')}\nIf you are unsure, say neutral.`,
  (v) =>
    `Sie sind die Assistenz der Praxis ${v.name()}. Geben Sie keine medizinischen Ratschläge. Bieten Sie nur freie Termine an.\n\nFreie Termine:\n${v.many(1, 9, () => `- ${v.pick(['Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag'])}, ${v.int(1, 28)}. ${v.pick(['März', 'April', 'Mai', 'Juni'])}, ${v.int(8, 17)} Uhr (${v.pick(['Erstgespräch', 'Kontrolle', 'Impfung', 'Blutabnahme'])})`, '\n')}\n\nFragen Sie nach dem Geburtsdatum, bevor Sie buchen.`,
  (v) =>
    `Beantworte Fragen zur Hausordnung. Stütze dich nur auf die Auszüge und nenne den Paragrafen.\n\nAuszüge:\n${v.many(1, 5, (index) => `§ ${index + v.int(1, 9)} ${v.salad(8, 25)}.`, '\n')}`,
  (v) =>
    `Vous êtes conseiller dans un magasin de vélos à ${v.city()}. Vouvoyez le client et proposez au maximum trois modèles.\n\nStock :\n${v.many(1, 8, () => `- ${v.salad(1, 3)} (${v.int(200, 4000)} €, taille ${v.pick(['S', 'M', 'L'])})`, '\n')}\n\nNe parlez jamais des concurrents.`,
  (v) =>
    `次の社内文書だけを使って質問に答えてください。文書に答えがない場合は「わかりません」と答えてください。\n\n${v.many(1, 5, (index) => `【文書${index + 1}】${v.pick(['休暇', '経費', '出張', '採用', '研修'])}規程:${v.pick(['申請は三日前までに行う', '領収書を添付する', '上長の承認が必要である', '人事部に連絡する'])}。${v.pick(['例外は認めない', '詳細は別紙を参照', '毎年四月に見直す'])}。`, '\n')}`,
  (v) =>
    `You supervise the following workers: ${draw(v, v.int(2, 6), ['researcher', 'coder', 'analyst', 'designer', 'reviewer', 'lawyer', 'translator']).join(', ')}. Given the request, respond with the worker to act next. When finished, respond with FINISH.`,
  (v) =>
    `You are an orchestrator. You can hand the conversation to one of these agents:\n\n${draw(v, v.int(2, 5), [
      'RefundAgent',
      'SalesAgent',
      'TechAgent',
      'LegalAgent',
      'HumanAgent',
      'BillingAgent',
    ])
      .map((agent) => `<agent name="${agent}">${v.sentence()}</agent>`)
      .join('\n')}\n\nPick exactly one and explain why in a short sentence.`,
  (v) =>
    `You are Penny, the budgeting coach in our banking app. Be encouraging, never judgmental.\n\nAccount balance: $${v.int(10, 9000)}.${v.int(10, 99)}\nLast transactions:\n${v.many(2, 9, () => `${v.int(1, 12)}/${v.int(1, 28)} ${v.pick(['COFFEE BAR', 'City Transit', 'Green Grocer', 'Rent LLC', 'Book Nook', 'Gym'])} $${v.int(2, 300)}.${v.int(10, 99)} ${v.pick(['debit', 'credit'])}`, '\n')}\n\nSuggest one small saving per answer.`,
  (v) =>
    `Create a multiple-choice quiz from the chapter below. Write five questions with four options each and mark the right one.\n\nChapter title: ${v.salad(2, 6)}\nChapter text: ${v.prose(5, 30)}`,
  (v) =>
    `You pull contact details out of signatures. Return JSON like {"name": "", "phone": "", "company": ""}.\n\nSignature:\n${v.name()}\n${v.pick(['Head of Sales', 'CTO', 'Buyer', 'Nurse'])}, ${v.firm()}\n${v.email()}`,
  (v) =>
    `You are ${v.first()}, an innkeeper in a fantasy village. You know these rumours:\n${v.many(1, 6, () => `* ${v.sentence()}`, '\n')}\nSpeak in an old-fashioned manner and never mention the modern world.`,
  (v) =>
    `You recommend films. The viewer has seen ${v.many(1, 7, () => `"${v.salad(1, 4)}"`, ', ')}. Recommend three others and give one reason for each.`,
  (v) =>
    `Answer the question with the help of the search results. Cite the results as [1], [2] and so on.\n\nSearch results:\n${v.many(2, 7, (index) => `[${index + 1}] ${v.salad(3, 8)} (${v.url()})\n${v.prose(1, 4)}`, '\n')}\n\nIf the results do not help, say that nothing was found.`,
  (v) =>
    `You check code for security problems. The project uses ${draw(v, v.int(1, 4), ['Django', 'Redis', 'Celery', 'React', 'Stripe', 'Kafka']).join(', ')}. Report each problem with its file and line. Do not report style.`,
  (v) =>
    `You write alt texts for a shop. Describe what can be seen in at most 120 characters.\nProduct: ${v.pick(['lamp', 'chair', 'kettle', 'rug', 'clock'])} ${v.salad(1, 2)}\nColour: ${v.pick(['red', 'dark green', 'ivory'])}\nMaterial: ${v.pick(['oak', 'steel', 'wool', 'glass'])}`,
]

const CLAIMS = (v: Values) => `Policy holder: ${v.name()}\nPolicy: ${v.id()}\nIncident: ${v.prose(1, 4)}`

const CALENDAR = (v: Values) =>
  `Du verwaltest Termine. Antworte kurz.\n\nTermine:\n${v.many(1, 5, () => `- ${v.int(8, 18)}:${v.int(10, 59)} Uhr: Treffen mit ${v.name()}`, '\n')}`

/** Different applications that resemble each other, each a family of its own. */
export const RESEMBLING_APPLICATIONS: readonly PromptFamily[] = [
  (v) => `You assist claims adjusters. Estimate the damage in euros.\n\n${CLAIMS(v)}`,
  (v) => `You assist claims adjusters. Decide whether fraud is likely.\n\n${CLAIMS(v)}`,
  (v) => `You assist claims adjusters. Write a letter that rejects the claim.\n\n${CLAIMS(v)}`,
  (v) => `You are the bot of the billing team at ${v.firm()}. Answer in a friendly tone.`,
  (v) => `You are the bot of the shipping team at ${v.firm()}. Answer in a friendly tone.`,
  (v) => `You are the bot of the billing team at ${v.firm()}. Answer in a formal tone.`,
  (v) => `Summaries for ${v.name()} have three bullet points. The tone is formal. The language is simple.`,
  (v) => `Summaries for ${v.name()} have three bullet points. The tone is funny. The language is simple.`,
  (v) => `Label each message as urgent or normal.\n\nMessage: ${v.sentence()}\nLabel: ${v.pick(['urgent', 'normal'])}`,
  (v) => `Label each message as spam or fine.\n\nMessage: ${v.sentence()}\nLabel: ${v.pick(['spam', 'fine'])}`,
  (v) => `${CALENDAR(v)}\nBiete zwei Ersatztermine an.`,
  (v) => `${CALENDAR(v)}\nFragen Sie nach der Kundennummer.`,
  (v) =>
    `Tu réponds aux clients d'une librairie. Reste bref.\nLivres :\n- ${v.salad(2, 4)}, par ${v.name()}\nPropose un autre livre si le titre manque.`,
  (v) =>
    `Tu réponds aux clients d'une librairie. Reste bref.\nLivres :\n- ${v.salad(2, 4)}, par ${v.name()}\nNe donne aucun prix.`,
  (v) => `Du schreibst Absagen für ${v.firm()}. Bleib freundlich. Nenne keinen Grund.`,
  (v) => `Du schreibst Zusagen für ${v.firm()}. Bleib freundlich. Nenne keinen Grund.`,
]

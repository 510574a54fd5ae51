import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const citizen = from(
  'Irena Kos|Malik Brown|Sunita Rao|Piotr Zych|Helga Stein|Ramon Ortiz|Aino Virtanen|Chidi Eze|Nora Lund|Mei Lin|Anton Gruber',
)
const office = from('building permits|residence|parking|dog tax|waste|elections|trade licences|archives')
const clause = from(
  'The tenant pays the costs of heating.|Notice must be given in writing.|The deposit amounts to three rents.|Pets need the consent of the landlord.|Either party may terminate at the end of a quarter.|The roof is part of the common property.|Interest runs from the due date.|The seller is not liable for hidden defects.|Works on Sundays are not permitted.|The fee is waived for students.|Appeals are possible within one month.|The garden may be used by all.',
)
const clauses = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => clause(v), glue)
const wish = from(
  'my bin was not emptied|how do I register a dog|I want to complain about noise|the form will not open|can I pay in two parts|my passport is lost|when is the hall free|who cuts the hedge|I moved last week|the street light is out|is the permit ready',
)

/** What a town hall and the law firm next to it send. Measured first, then rules were mended by it. */
export const BUREAU_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You are Ada, the citizen assistant of ${v.city()}.\n\nVisitor: ${citizen(v)}\nOffice: ${office(v)}\nWaiting time: ${v.int(2, 90)} minutes\n\nAnswer in plain language. Name the form and the fee. If the matter is legal, refer to a lawyer and do not advise.`,
  (v) =>
    `You are Ada, the citizen assistant of ${v.city()}.\n\nVisitor: ${citizen(v)}\nOffice: ${office(v)}\nWaiting time: ${v.int(2, 90)} minutes\n\nBook an appointment. Offer two dates, ask for a telephone number, and repeat everything at the end.`,
  (v) =>
    `task: summarise_minutes\nmeeting: council of ${v.city()}, ${v.date()}\nmax_words: ${v.int(50, 300)}\nminutes: |\n${v.many(3, 9, () => `  ${citizen(v)}: ${clause(v)}`, '\n')}\ninstructions: Keep every vote and every amount. Write in the past tense. Leave out greetings.`,
  (v) =>
    `task: find_decisions\nmeeting: council of ${v.city()}, ${v.date()}\nminutes: |\n${v.many(3, 9, () => `  ${citizen(v)}: ${clause(v)}`, '\n')}\ninstructions: List what was decided, who voted against it, and what it costs. Write "no decision" when there is none.`,
  (v) =>
    JSON.stringify({
      model_role: 'contract analyst',
      contract: { parties: [v.firm(), citizen(v)], signed: v.date(), text: clauses(v, 2, 7) },
      ask: 'Find obligations of the second party. Return an array of {"clause", "duty", "deadline"}. Do not interpret.',
    }),
  (v) =>
    JSON.stringify({
      model_role: 'contract analyst',
      contract: { parties: [v.firm(), citizen(v)], signed: v.date(), text: clauses(v, 2, 7) },
      ask: 'Find clauses that are unusual in a lease. Return an array of {"clause", "why", "risk"}. Use risk 1 to 5.',
    }),
  (v) =>
    `Assign the request to an office. One word.\n\n${v.many(3, 8, () => `"${wish(v)}" => ${v.pick(['waste', 'parking', 'permits', 'registry', 'police'])}`, '\n')}\n\nRequest:`,
  (v) =>
    `Is the writer angry? Yes or no.\n\n${v.many(3, 8, () => `"${wish(v)}" => ${v.pick(['yes', 'no'])}`, '\n')}\n\nRequest:`,
  (v) =>
    `Use only the statutes between the lines.\n----------\n${v.many(2, 6, (index) => `§ ${v.int(1, 99)} (${index + 1}) ${clauses(v, 1, 3)}`, '\n')}\n----------\nAnswer the question of a clerk. Cite the paragraph after each sentence. Say "not regulated" when no paragraph fits.`,
  (v) =>
    `Use only the statutes between the lines.\n----------\n${v.many(2, 6, (index) => `§ ${v.int(1, 99)} (${index + 1}) ${clauses(v, 1, 3)}`, '\n')}\n----------\nInvent a short case that these statutes decide, for an exam of trainees. Give the solution below it.`,
  (v) =>
    `| field | value |\n|---|---|\n| applicant | ${citizen(v)} |\n| street | ${v.city()} Road ${v.int(1, 200)} |\n| storeys | ${v.int(1, 12)} |\n| area | ${v.int(40, 4000)} m2 |\n| neighbours agree | ${v.pick(['yes', 'no', 'unknown'])} |\n\nWrite the decision on this building permit. Grant it when the neighbours agree and there are at most four storeys. State the reason and how to appeal.`,
  (v) =>
    `Translate the official notice into ${v.pick(['Arabic', 'Ukrainian', 'Polish', 'Turkish', 'Dari', 'Tigrinya', 'English'])} at level A2. Explain terms of law in brackets. Do not shorten it.\n\n"""\n${clauses(v, 2, 6)}\n"""`,
  (v) =>
    `Dear model,\n\nplease draft a reply to ${citizen(v)}, who wrote on ${v.date()} about ${office(v)}:\n\n"${clauses(v, 1, 3)}"\n\nApologise once. State what will happen next and by when. Sign as ${v.name()}, ${office(v)} office.`,
  (v) =>
    `Anonymise the judgment. Replace parties by letters, streets by [street] and dates by the year. Keep numbers of cases.\n\nCase ${v.int(1, 40)} C ${v.int(100, 999)}/${v.int(10, 26)}\n${citizen(v)} against ${v.firm()}\n${clauses(v, 3, 9)}`,
  (v) =>
    `Agent: grant clerk\nPermissions: ${v.many(2, 5, () => v.pick(['read_file', 'send_mail', 'create_case', 'close_case', 'ask_supervisor']), ', ')}\nCase: ${v.id()}\nSteps taken: ${v.int(0, 9)}\n\nYou process applications for grants of clubs. Check the statutes of the club, then its accounts, then decide. Ask the supervisor above ${v.int(1, 20)},000 euros. Never close a case without a letter.`,
  (v) =>
    `${v.date()} ${v.int(10, 23)}:${v.int(10, 59)} call from ${citizen(v)}\n${v.many(2, 6, (index) => `${index % 2 === 0 ? 'Caller' : 'Clerk'}: ${wish(v)}`, '\n')}\n\nScore the call of the clerk from 1 to 10 for courtesy and for knowledge. One example for each score. JSON with the keys courtesy and knowledge.`,
  (v) =>
    `Du unterstützt das Bürgerbüro der Gemeinde ${v.pick(['Altdorf', 'Seefeld', 'Wiesental', 'Hochheim', 'Birkenau'])}. Anliegen von ${v.pick(['Frau Ott', 'Herr Wagner', 'Frau Kaya', 'Herr Lorenz', 'Frau Blum'])} am ${v.int(1, 28)}. ${v.pick(['März', 'Mai', 'Juni', 'Oktober'])}:\n${v.many(1, 3, () => v.pick(['Die Tonne wurde nicht geleert.', 'Mein Hund ist umgezogen.', 'Die Laterne flackert.', 'Der Pass ist abgelaufen.']), ' ')}\nFormuliere eine höfliche Antwort. Nenne die zuständige Stelle und die Öffnungszeiten. Verweise auf kein Gesetz.`,
  (v) =>
    `Eres el asistente jurídico del despacho ${v.pick(['Roca y Vidal', 'Méndez', 'Bosch', 'Arce', 'Luna Soto'])}. Cliente: ${v.pick(['Carmen Ruiz', 'Diego Mora', 'Elsa Pinto', 'Raúl Gil'])}, cita del ${v.int(1, 28)} de ${v.pick(['enero', 'mayo', 'julio', 'octubre'])}.\nResume el caso en tres frases. Enumera los documentos que faltan. No des ninguna opinión sobre el resultado.`,
  (v) =>
    `Sei l'assistente dell'anagrafe di ${v.pick(['Lucca', 'Matera', 'Udine', 'Pavia', 'Lecce'])}. Richiesta n. ${v.int(100, 9999)} di ${v.pick(['Anna Conti', 'Paolo Serra', 'Gina Fabbri', 'Luca Moro'])}.\nSpiega quali documenti portare e quanto costa. Usa un elenco puntato. Non chiedere dati sanitari.`,
  (v) =>
    `Two clerks labelled the same request. Decide who is right.\n\nRequest: ${wish(v)}\n${v.first()}: ${v.pick(['waste', 'parking', 'permits', 'registry'])}\n${v.first()}: ${v.pick(['waste', 'parking', 'permits', 'registry'])}\n\nAnswer with the name of the clerk, or BOTH. Explain in at most ten words.`,
]

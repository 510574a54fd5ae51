import {
  company,
  dottedDate,
  givenName,
  isoDate,
  one,
  paragraph,
  person,
  product,
  surname,
  town,
} from './recurring-values.fixture.ts'
import type { PromptFamily } from './support-and-rag.fixture.ts'

/** Applications in ten languages whose few values recur. */
export const MULTILINGUAL_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `Guten Tag! Ich bin ${person(v)} und du bist mein persönlicher Assistent. Hilf mir, meine Termine zu planen. Heute ist der ${dottedDate(v)}.`,
  (v) =>
    `Du bist der Kundenservice-Bot von ${company(v)}. Der Kunde heißt ${person(v)} und wohnt in ${town(v)}. Antworte höflich und kurz auf Deutsch.`,
  (v) =>
    `Herr ${surname(v)} hat dich als Lerncoach engagiert. Erkläre Mathematik auf Niveau der ${v.int(5, 12)}. Klasse und stelle am Ende eine Kontrollfrage.`,
  (v) =>
    `Fasse die folgende Krankenakte von ${person(v)} (geb. ${dottedDate(v)}) in drei Sätzen zusammen. Nenne keine Diagnosen, die nicht im Text stehen.\n\n${paragraph(v)}`,
  (v) =>
    `Frau ${surname(v)} sucht eine Wohnung in ${town(v)}. Du berätst sie als Makler und schlägst passende Objekte aus der Liste vor.\nListe:\n${paragraph(v)}`,
  (v) =>
    `Bonjour, je suis ${person(v)}. Tu es un assistant juridique pour ${company(v)}. Réponds uniquement à partir des documents fournis.\n\nDocuments :\n${paragraph(v)}`,
  (v) =>
    `Tu aides ${givenName(v)} à apprendre l'anglais, niveau ${one(v, 'A1,A2,B1,B2')}. Corrige chaque phrase et explique l'erreur en français.`,
  (v) =>
    `Eres el asistente de reservas del restaurante ${company(v)} en ${town(v)}. El cliente se llama ${person(v)}. Confirma siempre fecha, hora y número de personas.`,
  (v) =>
    `Hola, soy ${givenName(v)}, agente de ${company(v)}. Clasifica el correo siguiente en una de estas categorías: queja, pedido, devolución, otro.\n${paragraph(v)}`,
  (v) =>
    `Hi! I'm ${person(v)} from ${company(v)}. You write product descriptions for ${product(v)}. Use a friendly voice, no more than ${v.int(40, 120)} words.`,
  (v) =>
    `${person(v)} is a nurse on ward ${v.int(1, 40)}. You turn her dictated notes into a handover report with the headings Situation, Background, Assessment and Recommendation.`,
  (v) =>
    `Customer profile: name=${person(v)}, tier=${one(v, 'gold,silver,basic')}, since=${isoDate(v)}. You are a retention agent. Offer at most one discount and never mention competitors.`,
  (v) =>
    `Conversation language: ${one(v, 'English,German,French,Spanish')}. Current user: ${givenName(v)} (id ${v.int(1000, 99999)}). You are an HR helpdesk assistant. Answer questions about leave, payroll and benefits from the handbook below.\n<handbook>${paragraph(v)}</handbook>`,
  (v) =>
    `Context retrieved for "${product(v)}":\n${paragraph(v)}\n---\nUsing only the context, answer the technician's question. If the answer is missing, say "not documented".`,
  (v) =>
    `Grade the essay of ${person(v)} (grade ${v.int(4, 12)}) from 1 to 6 for structure, grammar and argument. Return JSON with the keys structure, grammar, argument, comment.`,
  (v) =>
    `It is ${isoDate(v)}T${v.int(10, 23)}:${v.int(10, 59)}Z. User timezone: ${one(v, 'CET,PST,IST,JST')}. You manage the calendar of ${person(v)}; use the tools to find free slots and never book on weekends.`,
  (v) =>
    `Translate the ticket below from ${one(v, 'German,French,Spanish,Polish')} to English, keep order numbers as they are.\n\nTicket #${v.int(10000, 99999)}: ${paragraph(v)}`,
  (v) =>
    `SQL dialect: ${one(v, 'PostgreSQL,MySQL,BigQuery,Snowflake')}. Tables:\n${v.many(2, 6, () => `CREATE TABLE ${one(v, 'orders,users,events,payments,visits')}_${v.int(1, 99)} (id bigint, ${one(v, 'amount,name,ts,country')} ${one(v, 'text,numeric,timestamptz')});`, '\n')}\nWrite one query that answers the analyst's question. Output only SQL.`,
  (v) =>
    `You're ${givenName(v)}'s cooking buddy. Pantry: ${v.many(2, 8, () => one(v, 'eggs,rice,leek,tofu,salmon,lentils,butter,kale'), ', ')}. Suggest one dinner that takes under ${v.int(15, 60)} minutes.`,
  (v) =>
    `Legal intake assistant for ${company(v)}, office ${town(v)}. Collect the claimant's name, the date of the incident and the other party; do not give legal advice.`,
  (v) =>
    `Below are search results about ${town(v)}. Act as a travel writer and produce a ${v.int(2, 7)}-day itinerary.\n\n${v.many(2, 5, (index) => `[${index + 1}] ${paragraph(v)}`, '\n')}`,
  (v) =>
    `Jesteś asystentem banku ${company(v)}. Klient: ${person(v)}, saldo: ${v.int(100, 99999)} zł. Odpowiadaj krótko i nie podawaj numeru konta.`,
  (v) =>
    `Sei il tutor di ${givenName(v)}, studente del ${v.int(1, 5)}° anno. Spiega la grammatica latina con esempi e proponi un esercizio.`,
  (v) =>
    `Je bent de klantenservice van ${company(v)}. De klant, ${person(v)}, heeft bestelling ${v.int(10000, 99999)} geplaatst op ${dottedDate(v)}. Antwoord vriendelijk in het Nederlands.`,
  (v) =>
    `Você é um atendente da ${company(v)}. O cliente ${person(v)} mora em ${town(v)}. Resolva o problema em até três mensagens.`,
]

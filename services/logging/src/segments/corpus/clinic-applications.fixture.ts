import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const patient = from(
  'Ellen Strand|Moussa Keita|Giulia Ferri|Ahmed Saleh|Katrin Wolff|Joon Kim|Beata Zając|Ravi Menon|Clara Nunes|Oscar Dahl|Miriam Katz|Lena Orlova',
)
const doctor = from('Dr. Albrecht|Dr. Osei|Dr. Lindqvist|Dr. Marchetti|Dr. Rao|Dr. Herrera')
const note = from(
  'Pain in the left knee since Sunday.|No known allergies.|Blood pressure was 142 over 90.|The wound heals well.|Sleep has improved.|The cough is dry and worse at night.|Appetite is normal.|X-ray shows no fracture.|She stopped smoking in 2019.|Temperature rose to 38.4 in the evening.|He walks with a stick.|Take the tablets with food.|Stitches can be removed in ten days.|The rash has spread to the arms.|Drink two litres a day.|Mother had diabetes.|Vaccinations are complete.|Dizziness when getting up quickly.|Avoid sun until Thursday.|Grip strength is equal on both sides.',
)
const notes = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => note(v), glue)
const wish = from(
  'I need a new prescription|can I move my appointment|is the result back|do I have to fast|how much is a vaccination|my insurance changed|please send the report to my GP|is parking free|the pharmacy has no stock|can my son come alone|I feel worse since yesterday|which door at night',
)

/** What clinics and practices send. Written after the last change of the rules, and measured once. */
export const CLINIC_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You are the front desk assistant of a medical practice. Patient: ${patient(v)}, born ${v.date()}.\n\nOpening hours and rules:\n- Monday to Thursday, 8 to 18\n- Friday, 8 to 13\n- Prescriptions are ready after one working day\n\nAnswer in a calm and friendly way. Never give medical advice. If the patient describes an emergency, tell them to call 112.`,
  (v) =>
    `You are the billing assistant of a medical practice. Patient: ${patient(v)}, born ${v.date()}.\n\nOpen invoices:\n${v.many(1, 5, () => `- ${v.id()}: ${v.int(20, 900)}.${v.int(10, 99)} EUR`, '\n')}\n\nExplain each item in plain words. Offer payment in instalments above 200 EUR. Never discuss diagnoses.`,
  (v) =>
    `Turn the dictation of ${doctor(v)} into a discharge letter.\n\nDictation:\n${notes(v, 4, 12)}\n\nUse the headings History, Findings, Treatment and Follow-up. Write nothing that was not dictated.`,
  (v) =>
    `Turn the dictation of ${doctor(v)} into a note for the patient.\n\nDictation:\n${notes(v, 4, 12)}\n\nUse short sentences and no foreign words. End with what the patient should do next.`,
  (v) =>
    `<record>\n<name>${patient(v)}</name>\n<age>${v.int(1, 99)}</age>\n<notes>${notes(v, 2, 8)}</notes>\n</record>\n<instructions>Extract all medical codes that apply, as a JSON array of {"code", "text", "certainty"}. Return [] if there are none.</instructions>`,
  (v) =>
    `Triage the message. Levels: now, today, this week, routine.\n\nExamples\n${v.many(2, 5, () => `"${wish(v)}" -> ${v.pick(['now', 'today', 'this week', 'routine'])}`, '\n')}\n\nReply with the level alone.`,
  (v) =>
    `Guidelines found for the question:\n\n${v.many(2, 6, (index) => `[${index + 1}] ${notes(v, 1, 3)} (${v.int(2008, 2026)})`, '\n')}\n\nYou support doctors. Answer from the guidelines above, prefer the newest, and put the number behind every sentence. Say clearly when they do not cover the question.`,
  (v) =>
    `Guidelines found for the question:\n\n${v.many(2, 6, (index) => `[${index + 1}] ${notes(v, 1, 3)} (${v.int(2008, 2026)})`, '\n')}\n\nYou prepare patient leaflets. Rewrite what the guidelines recommend for a reader of twelve years, without numbers of sources, in at most 150 words.`,
  (v) =>
    `## Assistant\nYou schedule operations for ${v.firm()}.\n\n## Rooms today\n${v.many(2, 6, () => `| OR ${v.int(1, 9)} | ${v.int(7, 17)}:${v.pick(['00', '30'])} | ${doctor(v)} |`, '\n')}\n\n## Request\n${patient(v)}, ${v.pick(['knee', 'hip', 'cataract', 'hernia', 'appendix', 'tonsils'])}, ${v.int(30, 240)} minutes\n\n## Rules\nPropose the two earliest slots. Leave 30 minutes between operations. Do not move others.`,
  (v) =>
    `Explain the abbreviation "${v.pick(['ECG', 'COPD', 'MRI', 'CRP', 'BMI', 'TIA', 'DVT', 'ICU'])}" to a patient in one sentence, without other abbreviations.`,
  (v) =>
    `Du bist die Assistenz der Praxis ${v.pick(['am Park', 'Dr. Sommer', 'Nordstadt', 'Lindenhof', 'am Dom'])}. Patientin oder Patient: ${v.pick(['Frau Albers', 'Herr Demir', 'Frau Nowak', 'Herr Kling', 'Frau Sato'])}, Versicherung: ${v.pick(['gesetzlich', 'privat', 'unbekannt'])}.\n\nFreie Termine:\n${v.many(2, 6, () => `${v.pick(['Montag', 'Dienstag', 'Mittwoch', 'Freitag'])}, ${v.int(1, 28)}.${v.int(1, 12)}., ${v.int(8, 17)}:${v.pick(['00', '20', '40'])} Uhr`, '\n')}\n\nBiete höchstens drei Termine an. Frage nach dem Grund des Besuchs, aber stelle keine Diagnose.`,
  (v) =>
    `Tu rédiges les comptes rendus du service de ${v.pick(['cardiologie', 'pédiatrie', 'neurologie', 'chirurgie', 'radiologie', 'urgences'])}.\nPatient : ${v.pick(['Mme Perrin', 'M. Diallo', 'Mme Roche', 'M. Nguyen', 'Mme Blanc'])}, ${v.int(1, 95)} ans\nNotes :\n${v.many(2, 6, () => `- ${v.pick(['Douleur au genou gauche.', 'Tension à 14/9.', 'Toux sèche la nuit.', 'Pas d’allergie connue.', 'La plaie cicatrise bien.', 'Le sommeil est meilleur.'])}`, '\n')}\n\nRédige un compte rendu de cinq phrases. N'ajoute aucun diagnostic. Termine par la date du prochain rendez-vous si elle est connue.`,
  (v) =>
    `Eres el asistente de vacunación de ${v.city()}. Persona: ${v.pick(['Julia Vega', 'Tomás Roca', 'Nuria Sanz', 'Hugo Parra', 'Alba Cid'])}, ${v.int(0, 90)} años. Vacunas registradas: ${v.many(1, 4, () => v.pick(['tétanos', 'gripe', 'hepatitis B', 'sarampión', 'covid', 'polio']), ', ')}.\nIndica qué vacunas faltan según el calendario y ofrece una cita. No respondas a preguntas sobre otros medicamentos.`,
  (v) =>
    `Conversation so far:\n${v.many(2, 7, (index) => `${index % 2 === 0 ? 'Patient' : 'Bot'}: ${wish(v)}`, '\n')}\n\nDecide whether a nurse should take over. Answer yes or no, and give the sentence that decided it.`,
  (v) =>
    `Conversation so far:\n${v.many(2, 7, (index) => `${index % 2 === 0 ? 'Patient' : 'Bot'}: ${wish(v)}`, '\n')}\n\nSummarise it for the nurse who takes over. Three lines: concern, what was said, what is missing.`,
  (v) =>
    `Agent for lab orders. User: ${doctor(v)}. Time: ${v.int(2025, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)} ${v.int(10, 20)}:${v.int(10, 59)}.\n\nTools:\n- search_patient(name, birthday)\n- list_tests(panel)\n- order_test(patient, test)\n${v.chance(0.5) ? '- cancel_order(id)\n' : ''}\nAlways repeat the name and the birthday before you order. One order per confirmation. Stop if two patients match.`,
  (v) =>
    `Check the medication plan for interactions.\n\n| drug | dose | times |\n|---|---|---|\n${v.many(2, 8, () => `| ${v.pick(['ibuprofen', 'ramipril', 'metformin', 'warfarin', 'simvastatin', 'sertraline', 'aspirin'])} | ${v.int(1, 80) * 10} mg | ${v.int(1, 4)} |`, '\n')}\n\nReport only interactions that are known to be dangerous, one per line, with the safer alternative. Write "none" otherwise.`,
]

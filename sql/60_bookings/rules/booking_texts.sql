-- What guests and hosts type into a booking: validated and normalized before it is stored.
create function private.clean_text(input text) returns text
language plpgsql immutable parallel safe security invoker set search_path = ''
as $$
declare
  cleaned text := regexp_replace(regexp_replace(input, '\r\n?|[\u2028\u2029]', E'\n', 'g'),
    '[\u0001-\u0008\u000b-\u001f\u007f-\u009f]', '', 'g');
begin
  return case when not private.is_blank(cleaned) then btrim(cleaned, E' \t\n\u00a0') end;
end $$;
comment on function private.clean_text is
  'A text of several lines without control characters and outer white space; null for a text without a visible '
  'character.';

create function private.clean_answers(answers jsonb, questions jsonb) returns jsonb
language plpgsql immutable security invoker set search_path = ''
as $$
declare
  cleaned  jsonb := '{}';
  question jsonb;
  answer   text;
  unknown  text;
begin
  answers := coalesce(nullif(answers, 'null'), '{}');
  if jsonb_typeof(answers) <> 'object' then
    raise sqlstate 'PT400' using message = 'answers must be an object of texts by question id';
  end if;
  select min(a.id) into unknown from jsonb_object_keys(answers) a (id)
  where not exists (select from jsonb_array_elements(questions) q (question) where q.question ->> 'id' = a.id);
  if unknown is not null then
    raise sqlstate 'PT400' using message = format('answers: unknown question %s', left(unknown, 100));
  end if;
  for question in select q.question from jsonb_array_elements(questions) q (question) loop
    if jsonb_typeof(answers -> (question ->> 'id')) not in ('string', 'null') then
      raise sqlstate 'PT400' using message = format('answers.%s must be a text', question ->> 'id');
    end if;
    answer := private.clean_text(answers ->> (question ->> 'id'));
    if char_length(answer) > 2000 then
      raise sqlstate 'PT400' using
        message = format('answers.%s must be at most 2,000 characters', question ->> 'id');
    elsif answer is null and coalesce((question ->> 'isRequired')::boolean, false) then
      raise sqlstate 'PT400' using
        message = format('answers.%s is required: %s', question ->> 'id', question ->> 'label');
    end if;
    cleaned := cleaned || jsonb_strip_nulls(jsonb_build_object(question ->> 'id', answer));
  end loop;
  return cleaned;
end $$;
comment on function private.clean_answers is
  'The answers to the questions of a booking link, normalized. PT400 for an unknown question, an answer that is no '
  'text or too long, or a missing answer to a required question.';

create function private.labelled_answers(booking public.bookings) returns table (n bigint, label text, answer text)
language sql stable security invoker set search_path = ''
as $$
  select row_number() over (order by q.n, a.id), coalesce(q.question ->> 'label', a.id), a.answer
  from jsonb_each_text(booking.answers) a (id, answer)
  left join public.booking_links l on l.id = booking.booking_link_id
  left join lateral jsonb_array_elements(l.questions) with ordinality q (question, n) on q.question ->> 'id' = a.id
$$;
comment on function private.labelled_answers is
  'The answers of a booking in the order of its link''s questions, with their labels; without the question, its id.';

create function private.clean_booking_message(message text) returns text
language plpgsql immutable security invoker set search_path = ''
as $$
begin
  message := private.clean_text(message);
  if char_length(message) > 2000 then
    raise sqlstate 'PT400' using message = 'message must be at most 2,000 characters';
  end if;
  return message;
end $$;
comment on function private.clean_booking_message is
  'The message with a change of a booking, normalized; null for none. PT400 over 2,000 characters.';

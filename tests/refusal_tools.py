"""What the tests of refusals share."""


def is_a_sentence(error):
    text = str(error)
    assert text and "\n" not in text and "Traceback" not in text
    assert len(text.split()) >= 4

# expect: a long tape
"""Every entry asks its users again: exponential in diamonds, and too deep for long tapes."""


def derivatives(tape):
    values = []
    for entry in tape:
        if entry[0] == "in":
            values.append(entry[1])
        elif entry[0] == "add":
            values.append(values[entry[1]] + values[entry[2]])
        elif entry[0] == "mul":
            values.append(values[entry[1]] * values[entry[2]])
        else:
            values.append(1.0 / values[entry[1]])
    last = len(tape) - 1
    shares = [0.0] * len(tape)

    def send(k, share):
        shares[k] += share
        entry = tape[k]
        if entry[0] == "add":
            send(entry[1], share)
            send(entry[2], share)
        elif entry[0] == "mul":
            send(entry[1], share * values[entry[2]])
            send(entry[2], share * values[entry[1]])
        elif entry[0] == "recip":
            send(entry[1], -share * values[k] * values[k])

    send(last, 1.0)
    return shares

# expect: a reciprocal
"""The slope of 1/a has its sign forgotten."""


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
    shares = [0.0] * len(tape)
    shares[-1] = 1.0
    for k in range(len(tape) - 1, -1, -1):
        entry, share = tape[k], shares[k]
        if entry[0] == "add":
            shares[entry[1]] += share
            shares[entry[2]] += share
        elif entry[0] == "mul":
            shares[entry[1]] += share * values[entry[2]]
            shares[entry[2]] += share * values[entry[1]]
        elif entry[0] == "recip":
            shares[entry[1]] += share * values[k] * values[k]
    return shares
